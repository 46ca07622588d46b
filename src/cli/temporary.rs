//! Errors of the temporary folder, where unnamed files keep data that is too long for memory.

use std::{env, error, fmt, io};

/// An I/O error of the temporary folder, told apart from one of an input or output. Its text names
/// the folder.
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

/// Marks an error as one of the temporary folder, for [`is_unkept`].
pub(super) fn temp_error(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), Unkept(error))
}

/// Whether an error is one of the temporary folder, marked by [`temp_error`].
pub(super) fn is_unkept(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn error::Error + Send + Sync>::is::<Unkept>)
}
