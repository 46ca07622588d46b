//! Recognises `sqlite` files: `SQLite` databases, as acp-devtools keeps its captures. They cannot be
//! read.

use crate::transcript::format::{Beginning, Fidelity, Format, Likelihood, Read};

pub(super) static FORMAT: Format = Format {
    name: "sqlite",
    about: "an SQLite database, as acp-devtools keeps its captures; cannot be read",
    obtain: "`acp-devtools export -o FILE` exports the last capture",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Refused(
        "an SQLite database, as acp-devtools keeps its captures; `acp-devtools export <capture> -o \
         FILE` writes one that can be read",
    ),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    Likelihood::sure_if(beginning.bytes.starts_with(b"SQLite format 3\0"))
}
