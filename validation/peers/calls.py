"""Seconds of calls, for python_calls.py and gpu_calls.py."""
import time


def timed(call, times):
    """Result of the last of so many calls, and the seconds of each."""
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - begin)
    return result, seconds
