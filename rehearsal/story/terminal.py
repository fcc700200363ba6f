"""Shows on the terminal's last line how far a long step is, and nothing where the output is no terminal."""

import sys


def show_on_terminal(stack: str, finished: int) -> None:
    """Shows the progress on the terminal's last line; does nothing where the output is no terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K  {stack}  {finished} resources")
        sys.stderr.flush()


def show_question(about: str, done: int, total: int) -> None:
    """Shows on the terminal's last line how many questions of a lock are answered."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K  {done} of {total}  {about}")
        sys.stderr.flush()


def clear_terminal_line() -> None:
    """Removes the progress from the terminal's last line."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
