//! Checks timestamps of ISO 8601 and of its profile RFC 3339: the form, and the ranges of the
//! numbers. Date libraries accept only some forms of ISO 8601.

/// Whether a text is a `date-time` as RFC 3339 §5.6 defines it.
pub(crate) fn is_rfc3339(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return false };
    let Some((time, offset)) = split_offset(time) else { return false };
    let is_full = time.len() >= 8 && is_time(time, ".", Some(':'));
    let is_offset = matches!(offset, "Z" | "z") || (offset.len() == 6 && is_zone(offset));
    date.len() == 10 && is_calendar(date, Some('-')) && is_full && is_offset
}

/// The instant of a `date-time` of RFC 3339 §5.6, as seconds since 1970 and nanoseconds; `None` for
/// other texts.
pub(crate) fn instant(text: &str) -> Option<(i64, u32)> {
    if !is_rfc3339(text) {
        return None;
    }
    let (date, time) = text.split_once(['T', 't'])?;
    let (time, offset) = split_offset(time)?;
    let [year, month, day] = parts(date, Some('-'), [4, 2, 2])?.map(i64::from);
    let (whole, fraction) = time.split_once('.').unwrap_or((time, ""));
    let [hour, minute, second] = parts(whole, Some(':'), [2, 2, 2])?.map(i64::from);
    let ahead = match parts(offset.get(1..)?, Some(':'), [2, 2]) {
        Some([hours, minutes]) => i64::from(hours * 60 + minutes),
        None => 0,
    };
    let ahead = if offset.starts_with('+') { ahead } else { -ahead };
    let nanoseconds = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    let nanoseconds = nanoseconds.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    // Years that begin in March have the leap day at their end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (month * 153 + 2) / 5
        + day
        - 719_469;
    Some((((days * 24 + hour) * 60 + minute - ahead) * 60 + second, nanoseconds))
}

/// Whether a text is a date of ISO 8601, with or without a time.
pub(super) fn is_iso8601(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return is_date(text) };
    let (time, offset) = split_offset(time).unwrap_or((time, ""));
    let is_zoned = matches!(offset, "" | "Z" | "z") || is_zone(offset);
    is_date(date) && (is_time(time, ".,", Some(':')) || is_time(time, ".,", None)) && is_zoned
}

/// Splits a time of day from its offset from UTC, at the sign or letter where the offset begins.
/// `None` without an offset.
fn split_offset(time: &str) -> Option<(&str, &str)> {
    time.find(['Z', 'z', '+', '-', '\u{2212}']).map(|at| time.split_at(at))
}

/// Whether a text is a calendar date, week date or ordinal date of ISO 8601, with or without
/// hyphens.
fn is_date(date: &str) -> bool {
    let is_week = |week: &str| {
        let mut parts = week.splitn(2, 'W');
        let (year, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (year, rest) = (year.trim_end_matches('-'), rest.replace('-', ""));
        let (number, day) = rest.split_at_checked(2).unwrap_or_default();
        digits(year, 4).is_some()
            && digits(number, 2).is_some_and(|number| (1..=53).contains(&number))
            && (day.is_empty() || digits(day, 1).is_some_and(|day| (1..=7).contains(&day)))
    };
    let is_ordinal = |date: &str| {
        let (year, day) = date.split_at_checked(4).unwrap_or_default();
        let day = digits(day.trim_start_matches('-'), 3);
        digits(year, 4).is_some() && day.is_some_and(|day| (1..=366).contains(&day))
    };
    is_calendar(date, Some('-')) || is_calendar(date, None) || is_week(date) || is_ordinal(date)
}

/// Whether a text is a date of the calendar: year, month and day with this separator between them;
/// `None` for digits without separators, such as `20260131`.
fn is_calendar(date: &str, separator: Option<char>) -> bool {
    let Some([year, month, day]) = parts(date, separator, [4, 2, 2]) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// Whether a text is a time of day: hour and minute with this separator (`None` for none between
/// them), perhaps with second and fraction. `marks` are the decimal signs.
fn is_time(time: &str, marks: &str, separator: Option<char>) -> bool {
    let (time, fraction) = match time.find(|mark| marks.contains(mark)) {
        Some(at) => (&time[..at], Some(&time[at + 1..])),
        None => (time, None),
    };
    let is_fraction = fraction.is_none_or(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    let [hour, minute, second] = match parts(time, separator, [2, 2, 2]) {
        Some(parts) => parts,
        None => match parts(time, separator, [2, 2]) {
            Some([hour, minute]) => [hour, minute, 0],
            None => return false,
        },
    };
    let is_midnight = hour == 24 && minute == 0 && second == 0;
    is_fraction && (hour < 24 || is_midnight) && minute < 60 && second <= 60
}

/// Whether a text is an offset from UTC: sign and hours; minutes may follow.
fn is_zone(offset: &str) -> bool {
    let rest = offset.trim_start_matches(['+', '-', '\u{2212}']);
    let hour = digits(rest, 2).map(|hour| [hour, 0]);
    let parts = hour.or(parts(rest, Some(':'), [2, 2])).or(parts(rest, None, [2, 2]));
    parts.is_some_and(|[hour, minute]| hour < 24 && minute < 60)
}

/// Splits a text into numbers, which have the given lengths in digits and the separator between
/// them. `None` when the text has another form.
fn parts<const N: usize>(
    mut text: &str,
    separator: Option<char>,
    lengths: [usize; N],
) -> Option<[u32; N]> {
    let mut parts = [0; N];
    for (place, length) in lengths.into_iter().enumerate() {
        if place > 0
            && let Some(separator) = separator
        {
            text = text.strip_prefix(separator)?;
        }
        let (part, rest) = text.split_at_checked(length)?;
        parts[place] = digits(part, length)?;
        text = rest;
    }
    text.is_empty().then_some(parts)
}

/// The value of a text of exactly `length` digits; `None` for other texts.
fn digits(text: &str, length: usize) -> Option<u32> {
    let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_3339_is_strict() {
        for good in [
            "2026-11-21T07:53:43Z",
            "2026-11-21t07:53:43.720z",
            "2024-02-29T23:59:60+05:30",
            "2026-11-21T07:53:43.1234567890-00:00",
        ] {
            assert!(is_rfc3339(good), "{good}");
            assert!(is_iso8601(good), "{good}");
        }
        for bad in [
            "",
            "yesterday",
            "2026-11-21",
            "2026-11-21 07:53:43Z",
            "2026-11-21T07:53Z",
            "2026-11-21T07:53:43",
            "2026-11-21T07:53:43+0530",
            "2026-11-21T07:53:43.Z",
            "2026-13-01T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2026-11-21T25:00:00Z",
            "20261121T075343Z",
            "1795245262",
        ] {
            assert!(!is_rfc3339(bad), "{bad}");
        }
    }

    #[test]
    fn instants_are_compared_across_zones() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59Z", -1),
            ("2000-02-29T12:00:00+05:30", 951_805_800),
            ("2026-11-21T07:53:43-00:00", 1_795_247_623),
        ] {
            assert_eq!(instant(text), Some((seconds, 0)), "{text}");
        }
        assert_eq!(instant("1970-01-01T00:00:00.25z"), Some((0, 250_000_000)));
        assert_eq!(instant("yesterday"), None);
    }

    #[test]
    fn iso_8601_has_many_forms() {
        for good in [
            "2026-11-21",
            "20261121",
            "2026-W47-6",
            "2026W476",
            "2026-325",
            "2026-11-21T07:53",
            "2026-11-21T07:53:43",
            "20261121T075343Z",
            "2026-11-21T07:53:43,5+01",
            "2026-11-21T24:00:00Z",
        ] {
            assert!(is_iso8601(good), "{good}");
        }
        for bad in [
            "",
            "yesterday at noon",
            "2026-11-21 07:53:43",
            "21.11.2026",
            "2026-11-31",
            "2026-11-21T07:60",
            "2026-11-21T",
            "1795245262123",
            "Sat Nov 21 2026",
            "2026-W54-1",
        ] {
            assert!(!is_iso8601(bad), "{bad}");
        }
    }
}
