//! Every reader of transcripts: the first line names the format, or none for what the beginning
//! tells.
#![no_main]

#[path = "../../hostile/places.rs"]
mod places;

use acpcheck::{
    check::{Settings, Tail},
    transcript,
};
use libfuzzer_sys::fuzz_target;
use places::{everything, judge};

fuzz_target!(|data: &[u8]| {
    let Some(end) = data.iter().position(|byte| *byte == b'\n') else { return };
    let format = std::str::from_utf8(&data[..end]).ok().and_then(transcript::find);
    let bytes = &data[end + 1..];
    let severities = everything();
    let settings = Settings { format, tail: Tail::Closed, severities, ..Settings::default() };
    judge(bytes, &settings);
});
