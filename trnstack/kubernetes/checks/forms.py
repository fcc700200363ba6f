"""The forms of names, labels, keys and quantities that Kubernetes takes."""

import re
from fractions import Fraction
from typing import Any

#: Labels of DNS: of RFC 1123, and of RFC 1035, which begin with a letter.
_LABEL, _OLD_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"), re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAME_OF_KEY = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_PORT = re.compile(r"(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")
_QUANTITY = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?")
_POWERS = "KMGTPE"
_SMALL = {"n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "k": Fraction(1000)}
_MOST_POWER = 100
_LONGEST_LABEL, _LONGEST_SUBDOMAIN, _LONGEST_PORT = 63, 253, 15


def is_label(text: str) -> bool:
    """Tells whether a text is a label of DNS (RFC 1123), such as a namespace's name."""
    return len(text) <= _LONGEST_LABEL and _LABEL.fullmatch(text) is not None


def is_old_label(text: str) -> bool:
    """Tells whether a text is a label of DNS that begins with a letter (RFC 1035), such as a service's name."""
    return len(text) <= _LONGEST_LABEL and _OLD_LABEL.fullmatch(text) is not None


def is_subdomain(text: str) -> bool:
    """Tells whether a text is labels of DNS, separated by dots, such as most names."""
    return len(text) <= _LONGEST_SUBDOMAIN and _SUBDOMAIN.fullmatch(text) is not None


def is_key(text: str) -> bool:
    """Tells whether a text may be the key of a label or annotation: a name, perhaps with a domain before it."""
    domain, slash, name = text.rpartition("/")
    if slash and not is_subdomain(domain):
        return False
    return len(name) <= _LONGEST_LABEL and _NAME_OF_KEY.fullmatch(name) is not None


def is_label_value(text: str) -> bool:
    """Tells whether a text may be the value of a label."""
    return not text or (len(text) <= _LONGEST_LABEL and _NAME_OF_KEY.fullmatch(text) is not None)


def is_port_name(text: str) -> bool:
    """Tells whether a text may be the name of a port.

    Source: RFC 6335, section 5.1: 15 characters, a letter among them, no two hyphens beside each other.
    """
    return len(text) <= _LONGEST_PORT and _PORT.fullmatch(text) is not None


def quantity(value: Any) -> Fraction | None:
    """Returns what a quantity such as ``512Mi`` or ``100m`` amounts to; None where it is none.

    Source: Kubernetes API reference, Quantity.
    """
    if isinstance(value, int | float):
        return Fraction(str(value))
    match = _QUANTITY.fullmatch(value)
    if match is None:
        return None
    return Fraction(match[1]) * _factor(match[2] or "")


def _factor(unit: str) -> Fraction:
    if unit[1:].lstrip("+-").isdigit():
        # A power of ten that only a mistake writes is none that has to be counted out.
        return Fraction(f"1e{max(-_MOST_POWER, min(int(unit[1:]), _MOST_POWER))}")
    base = 1024 if unit.endswith("i") else 1000
    return _SMALL[unit] if unit in _SMALL else Fraction(base ** (_POWERS.index(unit[0]) + 1) if unit else 1)
