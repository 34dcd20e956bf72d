"""Files that other programs wrote: what is taken over keeps its times, what is not is named with its reason."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from icalendar import Event, Todo

from tests.support.builders import context, opened, tasks_of
from tests.support.calendars import DATA, Facts, components, facts, instant
from tools.core.context import RunContext
from tools.services.ics.exporting import export_calendar
from tools.services.ics.importing import ImportService
from tools.services.ics.planning import Action, Plan
from tools.services.ics.texts import one_line
from tools.store.database import Database

pytestmark = pytest.mark.unit

FILES = sorted((*DATA.glob("icalendar/*.ics"), *DATA.glob("handwritten/*.ics")))
CONTENT = {path: path.read_bytes() for path in FILES}
ZONES = ("Asia/Shanghai", "Europe/Berlin")
OUTLOOK_UID = (
    "040000008200E00074C5B7101A82E00800000000A0B1C2D3E4F5DA01000000000000000010000000AABBCCDDEEFF00112233445566778899"
)
#: In whatever zone: file, UID, reasons.
LEFT_BEHIND: dict[str, dict[str, list[str]]] = {
    "apple-reminders.ics": {"APPLE-TODO-UNDATED": ["no_date"]},
    "nextcloud.ics": {"nc-1span": ["many_days"], "nc-2mixed": ["mixed"], "nc-journal": ["kind"]},
    "no-uid.ics": {"4f1df0cc2a051d94e7e371af0b6c16b1ba180ce5@content.deep-planner": ["duplicate"]},
    "refused.ics": {
        "r-hourly": ["sub_daily"],
        "r-byhour": ["sub_daily"],
        "r-two-rules": ["several_rules"],
        "r-exrule": ["several_rules"],
        "r-rdate": ["rdate"],
        "r-start": ["rule_start"],
        "r-zero": ["bad_rule"],
        "r-long": ["too_long"],
        "r-backwards": ["backwards"],
        "r-mixed": ["mixed"],
        "r-start-missing": ["no_start"],
        "r-title": ["blank_title"],
        "r-nonsense": ["bad_value"],
        "r-future": ["this_and_future", "this_and_future"],
        "r-hourly#20260301": ["series_skipped"],
        "r-once#20260301": ["no_series"],
        "r-twice": ["duplicate"],
    },
    "invalid_duration.ics": {"invalid-duration@example.com": ["bad_value"]},
    "issue_1050_all_components.ics": {"todo-1": ["no_date"], "journal-1": ["kind"], "availability-1": ["kind"]},
    "issue_1050_calendar_with_events_and_todos.ics": {
        "todo-1@example.com": ["no_date"],
        "journal-1@example.com": ["kind"],
    },
    "issue_1081_invalid_rrule_freq.ics": {"test-123": ["bad_rule"]},
    "issue_156_RDATE_with_PERIOD_TZID_khal.ics": {
        "504dc9023d92acdb023e9a8c32a15806428bbb3a@content.deep-planner": ["rdate"]
    },
    "issue_348_exception_parsing_value.ics": {"SIXT_9879691160": ["kind"]},
    "issue_526_calendar_with_different_events.ics": {
        "ical-jacadzaca-3": ["unknown_zone"],
        "ical-jacadzaca-4": ["unknown_zone"],
    },
    "multiple_calendar_components.ics": {"24aaf1c43664cedd4dcd8084d8332c7b0342b2be@content.deep-planner": ["broken"]},
    "rfc_7529.ics": {"4.3.1": ["bad_rule"], "4.3.2": ["bad_rule"], "4.3.3": ["bad_rule"], "4.3.4": ["bad_rule"]},
    "pacific_fiji.ics": {"noend123": ["twice"]},
    "timezoned.ics": {"123456": ["too_long"]},
}
#: Where the clocks change on other days than in the zone of an entry, or its date is another.
ELSEWHERE: dict[str, dict[str, dict[str, list[str]]]] = {
    "Asia/Shanghai": {
        "apple.ics": {"3C2D-APPLE-WEEKLY-BERLIN": ["other_zone"]},
        "evolution.ics": {"evo-utc-monthly": ["other_day"]},
        "google.ics": {"6span@google.com": ["many_days"]},
        "outlook.ics": {"OUTLOOK-UNKNOWN-ZONE": ["unknown_zone"]},
        "issue_466_convert_tzid_with_slash.ics": {"0cab49a0-1167-40f0-bfed-ecb4d117047d": ["other_zone"]},
        "issue_466_respect_unique_timezone.ics": {"0cab49a0-1167-40f0-bfed-ecb4d117047d": ["other_zone"]},
        "rfc_7265_appendix_example_2_ical.ics": {
            "00959BC664CA650E933C892C@example.com": ["rdate"],
            "00959BC664CA650E933C892C@example.com#20060105": ["series_skipped"],
        },
        "x_location.ics": {"BFE33ADD-5553-48B5-B5A5-F9DA5CA4C393": ["other_zone"]},
    },
    "Europe/Berlin": {
        "evolution.ics": {"evo-utc-weekly": ["other_zone"], "evo-utc-monthly": ["other_zone"]},
        "google.ics": {
            "7series@google.com": ["other_zone"],
            "6span@google.com": ["many_days"],
            "7series@google.com#20260318": ["series_skipped"],
        },
        "outlook.ics": {
            OUTLOOK_UID: ["other_zone"],
            "OUTLOOK-UNKNOWN-ZONE": ["unknown_zone"],
        },
        "rfc_7265_appendix_example_2_ical.ics": {
            "00959BC664CA650E933C892C@example.com": ["rdate"],
            "00959BC664CA650E933C892C@example.com#20060104": ["series_skipped"],
        },
    },
}
#: Before all of the files, so that no alarm is past.
LONG_AGO = datetime(1990, 1, 1, tzinfo=ZoneInfo("UTC"))


def person(zone: str) -> RunContext:
    return replace(context(now=LONG_AGO.astimezone(ZoneInfo(zone))), zone=ZoneInfo(zone))


async def taken_over(database: Database, data: bytes, user: RunContext) -> Plan:
    service = ImportService(database)
    preview = await service.preview(data, user)
    if preview.plan.writes:
        assert (await service.carry_out(preview)).status == "success"
    return preview.plan


def by_name(data: bytes, zone: ZoneInfo) -> dict[tuple[str, str, str], Event | Todo]:
    """The entries of a file by UID, local date of the series and kind; of two with one name the newer."""
    found: dict[tuple[str, str, str], Event | Todo] = {}
    for one in sorted(components(data), key=lambda one: int(one.get("SEQUENCE", 0))):
        instead = one.get("RECURRENCE-ID")
        day = instead and instant(instead.dt, zone)
        local = day.astimezone(zone) if isinstance(day, datetime) else day
        uid = one_line(str(one.get("UID"))).removesuffix("-dp-event")
        found[uid, f"{local:%Y%m%d}" if local else "", one.name] = one
    return found


def differing(original: Facts, exported: Facts | None, todo: Facts) -> list[str]:
    """What differs between an entry and its export; a whole day that is free comes back as a to-do alone."""
    shown = exported or todo
    end = original.end if original.end is not None else original.start
    return [
        name
        for name, same in (
            ("start", shown.start == original.start),
            ("end", exported is None or (shown.end or shown.start) == end),
            ("occurrences", shown.occurrences == original.occurrences),
            ("alarms", todo.alarms == original.alarms),
        )
        if not same
    ]


def left_behind(plan: Plan) -> dict[str, list[str]]:
    """The reasons for each entry that is not taken over."""
    left: dict[str, list[str]] = {}
    for entry in plan.of(Action.SKIP):
        left.setdefault(entry.uid, []).append(entry.reason)
    return left


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_what_is_taken_over_keeps_its_times_and_the_rest_is_named(path: Path, zone: str, tmp_path: Path) -> None:
    data, user = CONTENT[path], person(zone)
    async with opened(tmp_path) as database:
        plan = await taken_over(database, data, user)
        exported = by_name((await export_calendar(database, user)).data, user.zone)
        stored = await tasks_of(database)
    assert left_behind(plan) == (LEFT_BEHIND | ELSEWHERE[zone]).get(path.name, {})
    original = by_name(data, user.zone)
    created = plan.of(Action.CREATE)
    assert len(created) == len(stored)
    for entry in created:
        uid, _, day = entry.uid.partition("#")
        if not uid.endswith("@content.deep-planner"):  # it came without a name
            name = (uid, day) if entry.series else (entry.uid, "")
            todo = facts(exported[*name, "VTODO"], user.zone)
            same_kind = exported.get((*name, entry.kind))
            shown = facts(same_kind, user.zone) if same_kind else None
            assert differing(facts(original[uid, day, entry.kind], user.zone), shown, todo) == [], entry


def test_what_is_left_behind_is_of_files_that_are_there() -> None:
    assert {*LEFT_BEHIND, *(name for names in ELSEWHERE.values() for name in names)} <= {path.name for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_a_second_time_changes_nothing(path: Path, tmp_path: Path) -> None:
    user = person(ZONES[0])
    async with opened(tmp_path) as database:
        first = await taken_over(database, CONTENT[path], user)
        again = await taken_over(database, CONTENT[path], user)
        own = await taken_over(database, (await export_calendar(database, user)).data, user)
    assert not again.writes
    assert len(again.of(Action.UNCHANGED)) == len(first.of(Action.CREATE))
    assert not own.writes
    assert own.of(Action.SKIP) == []
