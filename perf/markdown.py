"""A table in Markdown, as all scripts here print it."""


def table_lines(head, rows):
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]


def print_table(head, rows):
    print("\n".join(table_lines(head, rows)))
