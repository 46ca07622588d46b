//! Runs the program with a stack that is large enough, however little the system gives (`ulimit -s`).

use std::{panic, thread};

/// Bytes of stack that the program needs. With less, the work runs on a thread with a larger stack.
const ENOUGH: u64 = 2 << 20;

/// Calls `work` with a stack of at least [`ENOUGH`] bytes: on a new thread when the system gives
/// this one less. No thread is started otherwise, since it takes address space, which may be
/// limited too.
pub(super) fn with_room<T: Send>(work: impl Fn() -> T + Send + Sync) -> T {
    if limit().is_none_or(|limit| limit >= ENOUGH) {
        return work();
    }
    thread::scope(|scope| {
        let size = usize::try_from(ENOUGH).unwrap_or(usize::MAX);
        match thread::Builder::new().stack_size(size).spawn_scoped(scope, &work) {
            Ok(thread) => thread.join().unwrap_or_else(|cause| panic::resume_unwind(cause)),
            // The system gives no other thread.
            Err(_) => work(),
        }
    })
}

/// The limit of the stack in bytes (`ulimit -s`); `None` when there is none.
#[cfg(target_os = "linux")]
fn limit() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Stack).current
}

#[cfg(not(target_os = "linux"))]
fn limit() -> Option<u64> {
    None
}
