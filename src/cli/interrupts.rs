//! What ends the program from outside, without cutting anything short that has to be whole.

use std::{
    ffi::c_int,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag, low_level,
};

/// Ctrl-C, and what a CI server sends to end a run.
const SIGNALS: [c_int; 2] = [SIGINT, SIGTERM];

/// Ends the program as these signals do: at once or, while something has to be whole, behind that. The
/// second time it is at once in any case, since nobody may ever read what is being written.
#[derive(Clone, Debug)]
pub(super) struct Interrupts {
    /// Whether nothing has to be whole at the moment.
    is_free: Arc<AtomicBool>,
    /// For each signal, whether it has come.
    asked: [Arc<AtomicBool>; SIGNALS.len()],
}

impl Interrupts {
    /// From now on, signals are heeded. Fails if the system does not let them be.
    pub(super) fn heed() -> io::Result<Self> {
        let interrupts = Self::unheeded();
        for (signal, asked) in SIGNALS.into_iter().zip(&interrupts.asked) {
            // In this order when it comes.
            flag::register_conditional_default(signal, Arc::clone(asked))?;
            flag::register(signal, Arc::clone(asked))?;
            flag::register_conditional_default(signal, Arc::clone(&interrupts.is_free))?;
        }
        Ok(interrupts)
    }

    /// None that anybody sends.
    pub(super) fn unheeded() -> Self {
        Self { is_free: Arc::new(AtomicBool::new(true)), asked: Default::default() }
    }

    /// Does something that has to be whole. It holds nothing else that has to be.
    pub(super) fn spare<T>(&self, work: impl FnOnce() -> T) -> T {
        self.hold();
        let done = work();
        self.release();
        done
    }

    /// From now on, the program ends only where it looks whether it is asked to.
    pub(super) fn hold(&self) {
        self.is_free.store(false, Ordering::SeqCst);
    }

    /// From now on, the program ends at once, if it is asked to or has been.
    pub(super) fn release(&self) {
        self.is_free.store(true, Ordering::SeqCst);
        for (signal, asked) in SIGNALS.into_iter().zip(&self.asked) {
            if asked.load(Ordering::SeqCst) {
                // The signals are known to it.
                let _ = low_level::emulate_default_handler(signal);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn ask(&self) {
        self.asked[0].store(true, Ordering::SeqCst);
    }

    /// Whether the program is asked to end.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.iter().any(|asked| asked.load(Ordering::SeqCst))
    }
}
