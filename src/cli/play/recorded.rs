//! Reads the recording of `--from`.

use super::Arguments;
use crate::{
    cli::{
        config::Config,
        input::{Certainty, Input},
        reading::{self, NotJudged},
    },
    play::Recorded,
};

/// Reads the recording of `--from`; `None` without the option. An error is a sentence without a
/// full stop.
pub(super) fn read(arguments: &Arguments, config: &Config) -> Result<Option<Recorded>, String> {
    let Some(path) = &arguments.from else { return Ok(None) };
    let input = Input::File { path: path.clone(), certainty: Certainty::Sure };
    let fail = |why: &str| format!("cannot play `{}`: {why}", path.display());
    let settings = config.settings(&input.name());
    match reading::whole(&input, arguments.reporting.unpacking(), &settings) {
        Ok(bytes) => {
            let recorded = Recorded::read(&bytes, &settings);
            recorded.map(Some).map_err(|why| fail(&why))
        }
        Err(NotJudged::Unread(why)) => Err(fail(&why)),
        Err(NotJudged::PassedOver) => Err(fail("it holds no message")),
    }
}
