//! Where the schemas come from. Reads the file `schema/UPSTREAM`.

use std::sync::LazyLock;

/// The published package that the built-in schemas were made from.
#[derive(Clone, Copy, Debug)]
pub struct Upstream {
    /// Registry (`crate` or `npm`), name and version of the package.
    pub package: &'static str,
    /// Day of the schemas' revision, such as `2026-11-20`.
    pub date: &'static str,
    /// End of the day of the revision, in UTC, as seconds since 1970.
    pub end: f64,
}

/// The package that the built-in schemas were made from. Read at the first call.
pub fn upstream() -> &'static Upstream {
    static UPSTREAM: LazyLock<Upstream> = LazyLock::new(|| {
        let mut lines = include_str!("../../../../schema/UPSTREAM").lines();
        let package = lines.next().expect("the first line names the package");
        let date = lines.next().and_then(|line| line.strip_prefix("date "));
        let date = date.expect("the second line is the date");
        Upstream { package, date, end: 86_400.0 * (days(date).expect("a date") + 1.0) }
    });
    &UPSTREAM
}

/// Days from 1 January 1970 to a date such as `2026-11-20`; `None` where the text is not such a
/// date.
fn days(date: &str) -> Option<f64> {
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    // Years that begin in March end with the leap day.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year / 4 - year / 100 + year / 400;
    let days = 365 * year + leaps + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some(i32::try_from(days).ok()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_since_1970() {
        assert_eq!(days("1970-01-01"), Some(0.0));
        assert_eq!(days("2024-02-29"), Some(19_782.0));
        assert_eq!(days("2026-11-20"), Some(20_777.0));
        assert_eq!(days("soon"), None);
    }
}
