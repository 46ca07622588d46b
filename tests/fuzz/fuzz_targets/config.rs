//! `acpcheck.toml` and baselines: read, or shown what is wrong with them and where.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let read = match first {
        b'b' => acpcheck::cli::fuzzed::baseline(text),
        _ => acpcheck::cli::fuzzed::configuration(text),
    };
    if let Err(spans) = read {
        assert!(!spans.is_empty(), "it does not say what is wrong");
        for span in spans {
            let is_inside = span.start <= span.end && text.get(span.clone()).is_some();
            assert!(is_inside, "{span:?} is no place in the text");
        }
    }
});
