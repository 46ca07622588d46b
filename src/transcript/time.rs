//! Reads the time that a recorder notes beside a message.

use crate::json::Node;

/// Members in which recorders write the time of a line; the first that a line has counts.
const MEMBERS: [&str; 10] =
    ["ts", "at", "timestamp", "t_utc", "t_ms", "t", "time", "recordedAt", "ts_ms", "at_ms"];

/// Time at which a recorder wrote a line, in seconds on its clock; `None` where the line has no
/// time.
pub(super) fn of(line: Node<'_>) -> Option<f64> {
    let (name, value) = MEMBERS.into_iter().find_map(|name| Some((name, line.get(name)?)))?;
    match value.text() {
        Some(text) => date(&text.as_cow()),
        None => Some(scaled(value.number()?, name.ends_with("_ms"))),
    }
}

/// A time or duration in seconds, from a number in seconds or milliseconds: numbers above 1e11
/// count as milliseconds.
fn scaled(number: f64, is_in_milliseconds: bool) -> f64 {
    if is_in_milliseconds || number > 1e11 { number / 1e3 } else { number }
}

/// The origin of times that a date without a zone gives, in seconds since 1970: the end of the year
/// 9999. So they are negative, and not taken for seconds since 1970.
const WITHOUT_ZONE: f64 = 253_402_300_800.0;

/// The seconds since 1970 of a time, as if its date were in UTC where it has no zone.
pub fn since_1970(at: f64) -> f64 {
    if at < 0.0 { at + WITHOUT_ZONE } else { at }
}

/// Seconds since 1970 of a date and time as in RFC 3339. A comma may stand before the fraction, and
/// the colon of the zone may be missing. A date without a zone counts from [`WITHOUT_ZONE`].
pub(super) fn date(text: &str) -> Option<f64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u32>().ok().map(f64::from);
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let rest = text.get(19..).unwrap_or_default();
    let digits = rest.strip_prefix(['.', ',']).unwrap_or_default();
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let fraction = format!("0.{}", &digits[..length]).parse().unwrap_or(0.0);
    let zone = rest.get(if length > 0 { length + 1 } else { 0 }..).unwrap_or_default();
    let offset = zone.strip_prefix(['+', '-']).and_then(|clock| {
        let hours = clock.get(0..2)?.parse::<u32>().ok()?;
        let minutes = clock.get(2..)?.trim_start_matches(':').get(..2);
        let minutes = minutes.and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
        let seconds = f64::from(hours * 3600 + minutes * 60);
        Some(if zone.starts_with('-') { -seconds } else { seconds })
    });
    // Days since the first of March of the year 0, as the months are counted from then.
    let (shifted, month) =
        if month > 2.0 { (year, month - 3.0) } else { (year - 1.0, month + 9.0) };
    let leaps = (shifted / 4.0).floor() - (shifted / 100.0).floor() + (shifted / 400.0).floor();
    let days = shifted * 365.0 + leaps + (month * 153.0 / 5.0 + 0.4).floor() + day - 1.0;
    let clock = hour * 3600.0 + minute * 60.0 + second + fraction;
    let has_zone = zone.starts_with(['Z', 'z', '+', '-']);
    let origin = if has_zone { 0.0 } else { WITHOUT_ZONE };
    Some((days - 719_468.0) * 86400.0 + clock - offset.unwrap_or(0.0) - origin)
}

#[cfg(test)]
mod tests {
    use super::{date, since_1970};

    #[test]
    fn dates_become_seconds() {
        assert_eq!(date("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(date("2026-05-01T10:00:01.950Z"), Some(1_777_629_601.95));
        assert_eq!(date("2026-05-01T12:00:00.500000+02:00"), Some(1_777_629_600.5));
        assert_eq!(date("2026-05-01T15:30:00.500000+0530"), Some(1_777_629_600.5));
        assert_eq!(date("2024-02-29T23:59:59Z"), Some(1_709_251_199.0));
        assert_eq!(date("yesterday"), None);
        let [one, other] =
            ["2026-05-01 10:00:00,041", "2026-05-01T10:00:01"].map(|text| date(text).unwrap());
        assert!(other < 0.0 && (other - one - 0.959).abs() < 1e-3, "{one} {other}");
        assert!((since_1970(other) - 1_777_629_601.0).abs() < 1e-3);
    }
}
