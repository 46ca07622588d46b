//! What is too much for memory goes into unnamed files, for which there may be no room.

use std::{env, error, fmt, io};

/// The temporary folder does not take what is to be kept: no fault of what is read or written.
#[derive(Debug)]
struct Unkept(io::Error);

impl fmt::Display for Unkept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = env::temp_dir();
        let help = if cfg!(unix) { " (TMPDIR names another)" } else { "" };
        write!(
            f,
            "what is too much for memory cannot be kept in the folder `{}`{help}: {}",
            folder.display(),
            self.0
        )
    }
}

impl error::Error for Unkept {}

/// Says of a failure that it is one of the temporary folder.
pub(super) fn unkept(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), Unkept(error))
}

/// Whether a failure is one of the temporary folder.
pub(super) fn is_unkept(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn error::Error + Send + Sync>::is::<Unkept>)
}
