"""How the tests of the plot's functions hear what a user would be told."""


def code_of(action):
    """The exit code that the program would end with."""
    try:
        action()
    except SystemExit as stop:
        return stop.code
    return 0
