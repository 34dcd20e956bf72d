"""The conventions: parts of the day (P1), weeks (P16), bare hours (P19), follow-ups (P24), festivals (P14)."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tools.domain.segments import SEGMENT_HOURS, TimeSegment
from tools.domain.times import Kind, find_whens, occurrences, parse_when, remove_spans

pytestmark = pytest.mark.unit

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 2, 11, 10, tzinfo=ZONE)


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


def start_of(text, now=NOW, **options):
    when = parse_when(text, now, ZONE, **options)
    return when and when.start and f"{when.start:%m-%d %H:%M}"


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "Europe/Berlin", "America/New_York"])
def test_answers_are_in_the_zone_asked_for(zone):
    when = parse_when("明天下午三点", NOW, ZoneInfo(zone))
    local = NOW.astimezone(ZoneInfo(zone)).date()
    assert when.start == datetime(local.year, local.month, local.day, 15, tzinfo=ZoneInfo(zone)) + timedelta(days=1)
    assert when.start.tzinfo == ZoneInfo(zone)


def test_naive_now_is_refused():
    with pytest.raises(ValueError, match="aware"):
        parse_when("明天", datetime(2026, 2, 11), ZONE)  # noqa: DTZ001  (the naive value is the point)


@pytest.mark.parametrize(
    ("text", "segment"),
    [
        ("明天凌晨", "early_morning"),
        ("明天早上", "morning"),
        ("明天上午", "forenoon"),
        ("明天中午", "noon"),
        ("明天下午", "afternoon"),
        ("明天傍晚", "evening"),
        ("明晚", "evening"),
        ("tomorrow morning", "morning"),
        ("tomorrow afternoon", "afternoon"),
        ("tomorrow evening", "evening"),
    ],
)
def test_a_part_of_a_day_has_the_hours_of_its_segment(text, segment):
    when = parse_when(text, NOW, ZONE)
    first, end = SEGMENT_HOURS[TimeSegment(segment)]
    midnight = at("2026-02-12T00:00")
    assert (when.kind, when.segment, when.date) == (Kind.DATE, TimeSegment(segment), date(2026, 2, 12))
    assert (when.start, when.end) == (midnight + timedelta(hours=first), midnight + timedelta(hours=end))


def test_a_segment_said_beside_a_clock_time_is_kept():
    when = parse_when("明天下午三点", NOW, ZONE)
    assert (when.kind, when.segment, when.end) == (Kind.DATETIME, TimeSegment.AFTERNOON, None)
    assert (when.date_given, when.clock_given) == (True, True)


def test_a_whole_day_is_midnight_to_midnight():
    when = parse_when("明天", NOW, ZONE)
    assert (when.kind, when.start, when.end) == (Kind.DATE, at("2026-02-12T00:00"), at("2026-02-13T00:00"))
    assert (when.segment, when.date_given, when.clock_given) == (None, True, False)


@pytest.mark.parametrize(
    ("now", "text", "want"),
    [
        ("2026-02-11T10:00", "周末", "02-14 00:00"),  # P16: Saturday
        ("2026-02-14T10:00", "周末", "02-14 00:00"),  # on a Saturday: today
        ("2026-02-14T10:00", "周末早上", "02-15 06:00"),  # ... or Sunday, when the segment is over
        ("2026-02-14T10:00", "周末下午", "02-14 14:00"),
        ("2026-02-15T10:00", "周末", "02-15 00:00"),  # on a Sunday: today
        ("2026-02-15T10:00", "下周末", "02-21 00:00"),
        ("2026-02-11T10:00", "周三", "02-11 00:00"),  # the nearest that is not past
        ("2026-02-11T10:00", "周三上午九点", "02-18 09:00"),
        ("2026-02-11T10:00", "周二", "02-17 00:00"),
        ("2026-02-11T10:00", "这周二", "02-10 00:00"),  # of this week, even if past
        ("2026-02-11T10:00", "下周二", "02-17 00:00"),
        ("2026-02-15T10:00", "下周一", "02-16 00:00"),
        ("2026-02-16T10:00", "下周一", "02-23 00:00"),
        ("2026-02-11T10:00", "next Wednesday", "02-18 00:00"),
        ("2026-02-11T10:00", "next Friday", "02-20 00:00"),
        ("2026-02-11T10:00", "this Friday", "02-13 00:00"),
        ("2026-02-11T10:00", "this Monday", "02-16 00:00"),
        ("2026-02-11T10:00", "Friday", "02-13 00:00"),
        ("2026-02-11T10:00", "上周五", "02-06 00:00"),
        ("2026-02-11T10:00", "下下周五", "02-27 00:00"),
        ("2026-02-11T10:00", "5号", "03-05 00:00"),  # the coming one
        ("2026-02-11T10:00", "2月5日", "02-05 00:00"),
        ("2026-12-31T10:00", "明天", "01-01 00:00"),
        ("2028-02-28T10:00", "明天", "02-29 00:00"),
    ],
)
def test_days(now, text, want):
    assert start_of(text, at(now)) == want


def test_asking_about_a_weekend_means_both_days():
    when = parse_when("周末有什么安排", NOW, ZONE, purpose="query")
    assert (when.kind, when.start, when.end) == (Kind.RANGE, at("2026-02-14T00:00"), at("2026-02-16T00:00"))


@pytest.mark.parametrize(
    ("now", "text", "want"),
    [
        ("2026-02-11T10:00", "三点", "02-11 15:00"),  # 1-6 is the afternoon
        ("2026-02-11T10:00", "明天六点", "02-12 18:00"),
        ("2026-02-11T10:00", "明天七点", "02-12 07:00"),  # 7-12 as written
        ("2026-02-11T10:00", "八点", "02-11 20:00"),  # past, and 12 hours later is not
        ("2026-02-11T22:30", "八点", "02-11 08:00"),  # both past: as written, for the caller to confirm
        ("2026-02-11T13:00", "十二点", "02-12 00:00"),
        ("2026-02-11T10:00", "08:00", "02-11 08:00"),  # written on a 24-hour clock
        ("2026-02-11T10:00", "今晚12点", "02-12 00:00"),  # midnight ends the evening
        ("2026-02-11T10:00", "明晚十二点", "02-13 00:00"),
        ("2026-02-11T21:00", "凌晨三点", "02-12 03:00"),  # said in the evening: the next date
        ("2026-02-11T21:00", "夜里两点", "02-12 02:00"),
        ("2026-02-11T10:00", "凌晨三点", "02-11 03:00"),
        ("2026-02-11T21:00", "明天凌晨四点", "02-12 04:00"),  # tomorrow's date
        ("2026-02-11T21:00", "今晚两点", "02-12 02:00"),
        ("2026-02-11T21:00", "tonight at 1am", "02-12 01:00"),
        ("2026-02-11T10:00", "中午一点", "02-11 13:00"),
        ("2026-02-11T10:00", "中午十一点半", "02-11 11:30"),
        ("2026-02-11T10:00", "下午12点半", "02-11 12:30"),
        ("2026-02-11T10:00", "12am", "02-11 00:00"),
        ("2026-02-11T10:00", "12pm", "02-11 12:00"),
        ("2026-02-11T10:00", "明天24点", "02-13 00:00"),
        ("2026-02-11T10:00", "at 5", "02-11 17:00"),
    ],
)
def test_hours(now, text, want):
    assert start_of(text, at(now)) == want


@pytest.mark.parametrize("text", ["明天上午开会", "明早开会", "tomorrow morning"])
def test_tomorrow_said_after_midnight_may_mean_today(text):
    when = parse_when(text, at("2026-02-11T02:00"), ZONE)
    assert when.choices == (date(2026, 2, 11), date(2026, 2, 12))
    assert parse_when(text, at("2026-02-11T05:00"), ZONE).choices == ()


@pytest.mark.parametrize(
    ("near", "text", "want"),
    [
        ("evening", "改八点吧", "02-11 20:00"),
        ("morning", "改八点吧", "02-11 08:00"),
        ("afternoon", "改三点", "02-11 15:00"),
        ("evening", "改上午八点", "02-11 08:00"),
        ("evening", "make it 8", None),
        ("evening", "at 8", "02-11 20:00"),
    ],
)
def test_a_bare_hour_keeps_the_part_of_the_day(near, text, want):
    assert start_of(text, near=TimeSegment(near)) == want


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("国庆假期", "2026-10-01", "2026-10-08"),
        ("五一假期", "2026-05-01", "2026-05-06"),
        ("春节假期", "2026-02-15", "2026-02-24"),
    ],
)
def test_days_off_are_the_official_ones(text, start, end):
    when = parse_when(text, NOW, ZONE)
    assert (when.kind, f"{when.start:%F}", f"{when.end:%F}") == (Kind.RANGE, start, end)
    assert not when.provisional


def test_an_unpublished_plan_makes_an_answer_provisional():
    later = at("2027-03-01T10:00")
    assert parse_when("国庆假期", later, ZONE).provisional
    workday = parse_when("下个工作日", at("2027-03-05T10:00"), ZONE)
    assert (workday.date, workday.provisional) == (date(2027, 3, 8), True)
    assert not parse_when("国庆节", later, ZONE).provisional


def test_the_next_working_day_knows_make_up_days():
    assert parse_when("下个工作日", at("2026-02-13T10:00"), ZONE).date == date(2026, 2, 14)
    assert parse_when("下个工作日", at("2026-02-14T10:00"), ZONE).date == date(2026, 2, 24)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("除夕", "2026-02-16"),
        ("春节", "2026-02-17"),
        ("元宵节", "2026-03-03"),
        ("清明", "2026-04-05"),
        ("端午节", "2026-06-19"),
        ("七夕", "2026-08-19"),
        ("中秋节", "2026-09-25"),
        ("重阳节", "2026-10-18"),
        ("冬至", "2026-12-22"),
        ("农历八月十五", "2026-09-25"),
        ("明年春节", "2027-02-06"),
        ("春节前一天", "2026-02-16"),
        ("Easter", "2026-04-05"),
        ("Thanksgiving", "2026-11-26"),
    ],
)
def test_festivals(text, want):
    assert f"{parse_when(text, NOW, ZONE).date}" == want


@pytest.mark.parametrize("text", ["每年春节", "每年农历八月十五"])
def test_a_lunar_anniversary_has_no_rule_and_is_not_guessed(text):
    assert parse_when(text, NOW, ZONE) is None


@pytest.mark.parametrize(
    ("text", "deadline", "start"),
    [
        ("月底前交报告", True, "02-28 00:00"),
        ("周五下午五点前发邮件", True, "02-13 17:00"),
        ("by Friday", True, "02-13 00:00"),
        ("by EOD Friday", True, "02-13 00:00"),
        ("by EOD", True, "02-11 00:00"),
        ("两天内交报告", True, "02-13 00:00"),
        ("within 2 hours", True, "02-11 12:00"),
        ("三个工作日内", True, "02-14 00:00"),
        ("周五交报告", False, "02-13 00:00"),
    ],
)
def test_limits(text, deadline, start):
    when = parse_when(text, NOW, ZONE)
    assert (when.deadline, f"{when.start:%m-%d %H:%M}") == (deadline, start)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("下午三点半到五点", "02-11 15:30", "02-11 17:00"),
        ("上午十点到下午两点", "02-11 10:00", "02-11 14:00"),
        ("晚上十点到凌晨两点", "02-11 22:00", "02-12 02:00"),
        ("明天9点到11点", "02-12 09:00", "02-12 11:00"),
        ("9点到11点", "02-11 09:00", "02-11 11:00"),  # still running (P3)
        ("7点到9点", "02-11 19:00", "02-11 21:00"),
        ("明天11点到1点", "02-12 11:00", "02-12 13:00"),
        ("周五下午到周日晚上", "02-13 14:00", "02-16 00:00"),
        ("下周一到周三", "02-16 00:00", "02-19 00:00"),
        ("25号到28号", "02-25 00:00", "03-01 00:00"),
        ("12月30日到1月2日", "12-30 00:00", "01-03 00:00"),
        ("3-5pm", "02-11 15:00", "02-11 17:00"),
        ("10-2pm tomorrow", "02-12 10:00", "02-12 14:00"),
        ("11pm to 1am", "02-11 23:00", "02-12 01:00"),
        ("明天下午三点开会一个小时", "02-12 15:00", "02-12 16:00"),
        ("tomorrow 2pm for 90 minutes", "02-12 14:00", "02-12 15:30"),
        ("Feb 14-16", "02-14 00:00", "02-17 00:00"),
        ("from fri to sun", "02-13 00:00", "02-16 00:00"),
        ("between the 21st and 23rd", "02-21 00:00", "02-24 00:00"),
    ],
)
def test_ranges(text, start, end):
    when = parse_when(text, NOW, ZONE)
    assert (when.kind, f"{when.start:%m-%d %H:%M}", f"{when.end:%m-%d %H:%M}") == (Kind.RANGE, start, end)


def test_separate_expressions_are_separate():
    found = find_whens("明天三点开会，后天五点取快递", NOW, ZONE)
    assert [f"{when.start:%d %H}" for when in found] == ["12 15", "13 17"]


def test_a_clock_time_takes_the_date_before_it():
    found = find_whens("明天上午开会，下午三点取快递，晚上健身", NOW, ZONE)
    assert [f"{when.start:%d %H}" for when in found] == ["12 09", "12 15", "12 18"]
    assert [when.date_given for when in found] == [True, False, False]


@pytest.mark.parametrize("text", ["周五前交报告，下午三点开会", "取消昨天的会，下午三点开会"])
def test_a_limit_or_a_past_date_lends_itself_to_nothing(text):
    assert find_whens(text, NOW, ZONE)[-1].start == at("2026-02-11T15:00")


def test_pieces_of_one_expression_may_be_apart():
    text = "明天我下午三点开会"
    (when,) = find_whens(text, NOW, ZONE)
    assert [text[start:end] for start, end in when.spans] == ["明天", "下午三点"]


@pytest.mark.parametrize("text", ["提前半小时提醒我明天下午三点开会", "明天下午三点开会，提前半小时提醒我"])
def test_a_lead_is_a_length_of_its_own(text):
    kinds = {when.kind: when for when in find_whens(text, NOW, ZONE)}
    assert kinds[Kind.DURATION].seconds == 1800
    assert (kinds[Kind.DATETIME].start, kinds[Kind.DATETIME].end) == (at("2026-02-12T15:00"), None)
    assert parse_when(text, NOW, ZONE).kind is Kind.DATETIME


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("明天下午三点开会", "开会"),
        ("在明天下午三点左右开会", "开会"),
        ("明天我下午三点开会", "我开会"),
        ("周末早上去机场接人", "去机场接人"),
        ("预约明天的牙医", "预约的牙医"),
        ("明天3pm和 Tom 开会", "和 Tom 开会"),
        ("每天早上8点和晚上8点吃药", "吃药"),
        ("2月14日（周六）15:00-17:00看戏", "看戏"),
        ("cancel tomorrow's meeting", "cancel meeting"),
        ("lunch with Sarah next Tuesday at 12:30", "lunch with Sarah"),
        ("call mom at 7pm tonight", "call mom"),
        ("tomorrow: buy milk", "buy milk"),
        ("２月１４号　吃饭", "吃饭"),
    ],
)
def test_a_title_loses_its_time_words(text, title):
    assert remove_spans(text, find_whens(text, NOW, ZONE)) == title


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("每两周的周五", ["02-13 00:00", "02-27 00:00", "03-13 00:00"]),
        ("每月31号", ["03-31 00:00", "05-31 00:00", "07-31 00:00"]),
        ("每月最后一天", ["02-28 00:00", "03-31 00:00", "04-30 00:00"]),
        ("每个工作日早上八点", ["02-12 08:00", "02-13 08:00", "02-16 08:00"]),
        ("every first Monday of the month", ["03-02 00:00", "04-06 00:00", "05-04 00:00"]),
        ("每周五晚上12点", ["02-14 00:00", "02-21 00:00", "02-28 00:00"]),
    ],
)
def test_occurrences(text, want):
    when = parse_when(text, NOW, ZONE)
    found = occurrences(when, 3)
    assert [f"{moment:%m-%d %H:%M}" for moment in found] == want
    assert found[0] == when.start


def test_occurrences_keep_the_wall_clock_across_a_change_of_clocks():
    zone = ZoneInfo("Europe/Berlin")
    when = parse_when("every Sunday at 9am", datetime(2026, 3, 20, tzinfo=zone), zone)
    assert [f"{moment:%d %H:%M %z}" for moment in occurrences(when, 2)] == ["22 09:00 +0100", "29 09:00 +0200"]


def test_nothing_but_a_recurrence_recurs():
    assert occurrences(parse_when("明天三点", NOW, ZONE), 3) == [at("2026-02-12T15:00")]
    assert occurrences(parse_when("半小时", NOW, ZONE), 3) == []


@pytest.mark.parametrize(
    ("text", "rrule", "start"),
    [
        ("从明天开始每天背单词", "FREQ=DAILY", "02-12 00:00"),
        ("every Monday from next week", "FREQ=WEEKLY;BYDAY=MO", "02-16 00:00"),
        ("every day starting tomorrow at 7am", "FREQ=DAILY", "02-12 07:00"),
        ("every Monday at 9am until March 31", "FREQ=WEEKLY;BYDAY=MO;UNTIL=20260331T155959Z", "02-16 09:00"),
        ("每天早上8点和晚上8点吃药", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0", "02-11 20:00"),
        ("take pills at 8am and 8pm every day", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0", "02-11 20:00"),
        ("周一到周五每天早上七点起床", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "02-12 07:00"),
        ("工作日早上七点半", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "02-12 07:30"),
        ("每年圣诞节", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25", "12-25 00:00"),
        ("每周五上午10点到11点", "FREQ=WEEKLY;BYDAY=FR", "02-13 10:00"),
        ("每30分钟", "FREQ=MINUTELY;INTERVAL=30", "02-11 10:00"),
        ("隔周二", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "02-17 00:00"),
    ],
)
def test_recurrences(text, rrule, start):
    when = parse_when(text, NOW, ZONE)
    assert (when.kind, when.rrule, f"{when.start:%m-%d %H:%M}") == (Kind.RECURRENCE, rrule, start)
    assert occurrences(when, 1) == [when.start]


@pytest.mark.parametrize(
    "text", ["七八点", "两三天", "三五天后", "一两个小时", "过几天", "每天早上8点半和晚上8点", "周一至周五早上七点"]
)
def test_no_guess(text):
    assert parse_when(text, NOW, ZONE) is None


def test_a_day_of_the_month_follows_the_date_before_it():
    found = find_whens("3月14日出发，18日回来", NOW, ZONE)
    assert [f"{when.date:%m-%d}" for when in found] == ["03-14", "03-18"]


def test_since_looks_back_and_stays_open():
    when = parse_when("since Monday", NOW, ZONE, purpose="query")
    assert (when.kind, when.start, when.end) == (Kind.RANGE, at("2026-02-09T00:00"), None)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("三点十分", "02-11 15:10"),
        ("三点零五", "02-11 15:05"),
        ("下午两点三十五", "02-11 14:35"),
        ("晚上8点05分", "02-11 20:05"),
        ("差一刻八点", "02-11 19:45"),
        ("8点差5分", "02-11 19:55"),
        ("２０：１５", "02-11 20:15"),
        ("下午 3 点 半", "02-11 15:30"),
        ("後天下午兩點", "02-13 14:00"),
        ("下週五晚上七點", "02-20 19:00"),
        ("quarter to five", "02-11 16:45"),
        ("half past 3", "02-11 15:30"),
        ("20 to 6", "02-11 17:40"),
        ("3:15 p.m.", "02-11 15:15"),
        ("at 0630", "02-11 06:30"),
        ("noon", "02-11 12:00"),
        ("midnight", "02-12 00:00"),
        ("俩小时后", "02-11 12:00"),
        ("5min后", "02-11 10:05"),
    ],
)
def test_clock_words(text, want):
    assert start_of(text) == want


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("两个半小时", 9000),
        ("一小时三十分", 5400),
        ("三刻钟", 2700),
        ("1h30m", 5400),
        ("two and a half hours", 9000),
        ("一年半", 47304000),
    ],
)
def test_lengths(text, seconds):
    when = parse_when(text, NOW, ZONE)
    assert (when.kind, when.seconds, when.start, when.date) == (Kind.DURATION, seconds, None, None)
