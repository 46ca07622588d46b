//! The one spelling of a number.

use std::borrow::Cow;

/// The canonical spelling of a JSON number, without an exponent or needless zeros: `1` for `1.0`
/// and `10e-1`. A number with more than forty zeros keeps an exponent.
pub(super) fn plain_number(text: &str) -> Cow<'_, str> {
    const ZEROS: i64 = 40;
    let is_plain = !text.starts_with('-') && !text.contains(['.', 'e', 'E']);
    if is_plain {
        return text.into();
    }
    let (sign, unsigned) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return "0".into();
    }
    let Ok(exponent) = exponent.parse::<i32>() else { return text.into() };
    let behind = digits.len() - digits.trim_end_matches('0').len();
    let length = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    // The number is `significant` × 10 ^ `scale`.
    let scale = i64::from(exponent) + length(behind) - length(fraction.len());
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or_default());
    let point = length(significant.len()) + scale;
    match (scale, point) {
        (0..=ZEROS, _) => format!("{sign}{significant}{}", zeros(scale)),
        (..0, 1..) => {
            let (whole, fraction) =
                significant.split_at(usize::try_from(point).unwrap_or_default());
            format!("{sign}{whole}.{fraction}")
        }
        (..0, point) if point >= -ZEROS => format!("{sign}0.{}{significant}", zeros(-point)),
        _ => format!("{sign}{significant}e{scale}"),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_number_are_one() {
        for (spellings, plain) in [
            (&["0", "-0", "0.0", "0e9", "-0.00E-7"][..], "0"),
            (&["1", "1.0", "1e0", "10e-1", "0.01E+2"], "1"),
            (&["-120", "-1.2e2", "-120.00"], "-120"),
            (&["1.5", "15e-1", "1.50"], "1.5"),
            (&["0.015", "15e-3", "0.15e-1"], "0.015"),
            (&["9223372036854775809", "9223372036854775809.0"], "9223372036854775809"),
            (&["1e400", "10e399", "0.1e401"], "1e400"),
            (&["-1e-400", "-0.1e-399"], "-1e-400"),
        ] {
            for spelling in spellings {
                assert_eq!(plain_number(spelling), plain, "{spelling}");
            }
        }
        assert_ne!(plain_number("9223372036854775808.0"), plain_number("9223372036854775809"));
    }
}
