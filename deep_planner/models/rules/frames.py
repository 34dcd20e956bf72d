"""What a clause of a request wants, as the rest of the brain handles it."""

from __future__ import annotations

from dataclasses import dataclass

from deep_planner.models.rules.tables import Act

#: What ends a task that is there.
ENDS = frozenset({Act.FINISH, Act.REMOVE})


@dataclass(frozen=True, slots=True)
class Frame:
    """One thing wanted.

    Attributes:
        act: What is to be done.
        text: The clause, in the user's words.
        title: Name of the task, its time words taken out (P22).
        when: The words of its time; for a change, of the time it moves to.
        on: The words of the date it stands on (P6).
        remind: The words of the time of a reminder: an offset, or a time of its own.
        city: A city that was named.
        priority: low or high, if it was said.
        new_title: The new name, for a change.
        all_day: It takes the whole day.
        description: What is to be kept beside the title.
        about: A reminder of a task that is there already.
        shift: How much later or earlier it is to be.
        longer: How much longer it is to take ("半小时 longer"), or shorter.
        everything: It is about all tasks of the date.
        trip: It is a trip: the weather and a reminder belong to it (P17).
        condition: What the weather must be, for example no_rain, or that the time is "free" (P23).
        days: It is a journey of so many days, ``city`` the place (X19).
        by_day: Of a journey, what is wanted on a day of it: (2, "上午去灵隐寺").
        slot: It goes into the first free stretch of this length.
        opens: It announces a task that the next clause names.
        whole: Of a task that comes back all dates are meant.
        group: The name of the group it is put in.
        sure: 0 to 1.
    """

    act: Act
    text: str
    title: str = ""
    when: str = ""
    on: str = ""
    remind: str = ""
    city: str = ""
    priority: str = ""
    new_title: str = ""
    all_day: bool = False
    description: str = ""
    about: bool = False
    shift: str = ""
    longer: str = ""
    group: str = ""
    everything: bool = False
    trip: bool = False
    condition: str = ""
    days: int = 0
    by_day: tuple[tuple[int, str], ...] = ()
    slot: str = ""
    opens: bool = False
    whole: bool = False
    sure: float = 0.95
