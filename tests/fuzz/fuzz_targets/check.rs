//! From bytes to every output. Five bytes before the transcript choose how it is judged and which
//! output is written: all of them take too long.
#![no_main]

#[path = "../../hostile/outputs.rs"]
mod outputs;
#[path = "../../hostile/places.rs"]
mod places;

use acpcheck::{
    check::{Head, Settings, Tail},
    protocol::{Edition, Surface},
    report::{FORMATS, TextStyle},
};
use libfuzzer_sys::fuzz_target;
use places::{everything, judge};

/// Bytes of an input that is judged more than once.
const ENOUGH: usize = 2048;

fuzz_target!(|data: &[u8]| {
    let Some((choices, bytes)) = data.split_at_checked(5) else { return };
    let [surface, edition, ends, look, output] =
        [0, 1, 2, 3, 4].map(|at| usize::from(choices[at].wrapping_sub(b'0')));
    let settings = Settings {
        surface: Surface::ALL.get(surface.wrapping_sub(1) % 8).copied().filter(|_| surface > 0),
        edition: Edition::ALL.get(edition.wrapping_sub(1) % 8).copied().filter(|_| edition > 0),
        head: [Head::Auto, Head::Complete, Head::Truncated][ends % 3],
        tail: [Tail::Auto, Tail::Open, Tail::Closed][ends / 3 % 3],
        severities: everything(),
        ..Settings::default()
    };
    let look = match look % 3 {
        0 => TextStyle::PLAIN,
        1 => TextStyle { color: true, columns: Some(look) },
        _ => TextStyle { color: true, columns: None },
    };
    outputs::write(bytes, &settings, look, Some(output % (FORMATS.len() + 1)));
    if bytes.len() < ENOUGH {
        // Messages that come again teach their forms.
        judge(&bytes.repeat(4), &settings);
    }
});
