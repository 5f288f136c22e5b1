"""Numbers as people say them, for the operator's utterances and for the check on their words."""

from __future__ import annotations

SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def spoken_number(value: float) -> str:
    """Return a number in words, two decimals at most: `minus one point six`, `a hundred and eighty`."""
    if value < 0:
        return f"minus {spoken_number(-value)}"
    whole, hundredths = divmod(round(value * 100), 100)
    digits = f"{hundredths:02d}".rstrip("0")
    decimals = "".join(f" {SMALL[int(digit)]}" for digit in digits)
    return spoken_whole(whole) + (f" point{decimals}" if decimals else "")


def spoken_whole(number: int) -> str:
    """Return a whole number below 1000 in words."""
    if number < 20:
        return SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return TENS[tens] + (f"-{SMALL[ones]}" if ones else "")
    hundreds, rest = divmod(number, 100)
    head = "a hundred" if hundreds == 1 else f"{SMALL[hundreds]} hundred"
    return head + (f" and {spoken_whole(rest)}" if rest else "")


def spoken_forms(value: float) -> tuple[str, ...]:
    """Return every way to say a number of one decimal: `one point five`, `half a`; else nothing."""
    whole, tenth = int(value), round((value - int(value)) * 10)
    if not 0 <= whole < 100 or abs(whole + tenth / 10 - value) > 1e-9:
        return ()
    name = spoken_whole(whole)
    if tenth:
        short = (f"point {SMALL[tenth]}",) if whole == 0 else ()
        return (f"{name} point {SMALL[tenth]}", *short, *(("half a",) if value == 0.5 else ()))
    return (name, "a") if whole == 1 else (name,)
