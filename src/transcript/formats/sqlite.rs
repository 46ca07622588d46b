//! Recognises `sqlite` files: `SQLite` databases, as acp-devtools keeps its captures. They cannot be
//! read.

use crate::transcript::format::{Beginning, Fidelity, Format, Likelihood, Read};

pub(super) static FORMAT: Format = Format {
    name: "sqlite",
    about: "SQLite databases, such as the captures of acp-devtools; cannot be read",
    obtain: "export the last capture with `acp-devtools export -o FILE`: see `acp-devtools`",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Refused(
        "acpcheck cannot read SQLite databases; if it is a capture of acp-devtools, export it with `acp-devtools export <capture> -o FILE`",
    ),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    Likelihood::sure_if(beginning.bytes.starts_with(b"SQLite format 3\0"))
}
