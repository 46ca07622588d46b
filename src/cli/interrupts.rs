//! Signals that end the program: they wait until what is being written is complete.
#![expect(clippy::disallowed_methods, reason = "the system tells of signals in a file")]

use std::{
    ffi::c_int,
    fmt, fs, io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    flag, low_level,
};

/// The signals that end a run: Ctrl-C, the one of CI servers, and the one of a terminal that is
/// closed.
const SIGNALS: [c_int; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Ends the program when a signal comes: at once, or at the end of work that must be complete. The
/// second signal ends it at once, since a reader of the output may block for ever.
#[derive(Clone)]
pub(super) struct Interrupts {
    /// Whether a signal may end the program at once, without a clean end of the run.
    is_free: Arc<AtomicBool>,
    /// For each signal of [`SIGNALS`], in that order, whether it has come.
    asked: [Arc<AtomicBool>; SIGNALS.len()],
    /// Removes temporary files and child processes; called before a signal ends the program.
    clean: Arc<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for Interrupts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_free, asked, clean: _ } = self;
        f.debug_struct("Interrupts").field("is_free", is_free).field("asked", asked).finish()
    }
}

impl Interrupts {
    /// Starts to catch signals, except those that the program was started to ignore, as with
    /// `nohup`. Fails when the system does not allow it.
    pub(super) fn catch() -> io::Result<Self> {
        let interrupts = Self::none();
        let ignored = ignored();
        for (signal, asked) in SIGNALS.into_iter().zip(&interrupts.asked) {
            if ignored & (1 << (signal - 1)) != 0 {
                continue;
            }
            // When a signal comes, these run in this order.
            flag::register_conditional_default(signal, Arc::clone(asked))?;
            flag::register(signal, Arc::clone(asked))?;
            flag::register_conditional_default(signal, Arc::clone(&interrupts.is_free))?;
        }
        Ok(interrupts)
    }

    /// Catches signals like [`Interrupts::catch`], and calls `clean` before a signal ends the
    /// program, even before a second signal does.
    pub(super) fn catch_and_clean(clean: impl Fn() + Send + Sync + 'static) -> io::Result<Self> {
        let interrupts = Self { clean: Arc::new(clean), ..Self::none() };
        let came: [Arc<AtomicBool>; SIGNALS.len()] = Default::default();
        let ignored = ignored();
        for ((signal, asked), came) in SIGNALS.into_iter().zip(&interrupts.asked).zip(&came) {
            if ignored & (1 << (signal - 1)) == 0 {
                flag::register(signal, Arc::clone(asked))?;
                flag::register(signal, Arc::clone(came))?;
            }
        }
        let watching = interrupts.clone();
        thread::Builder::new().spawn(move || watching.watch(&came))?;
        Ok(interrupts)
    }

    /// Runs on a thread until the program ends, and handles signals. `came` says for each signal
    /// whether it has come again.
    fn watch(&self, came: &[Arc<AtomicBool>]) {
        /// How often the thread looks whether a signal has come.
        const TICK: Duration = Duration::from_millis(20);
        let mut last = None;
        loop {
            thread::sleep(TICK);
            let mut is_again = false;
            for (signal, came) in SIGNALS.into_iter().zip(came) {
                if came.swap(false, Ordering::SeqCst) {
                    is_again |= last.is_some();
                    last = Some(signal);
                }
            }
            if let Some(signal) = last
                && (is_again || self.is_free.load(Ordering::SeqCst))
            {
                (self.clean)();
                // It fails for unknown signals only.
                let _ = low_level::emulate_default_handler(signal);
            }
        }
    }

    /// Interrupts that catch no signal: for tests, and to be completed by [`Interrupts::catch`].
    pub(super) fn none() -> Self {
        Self {
            is_free: Arc::new(AtomicBool::new(true)),
            asked: Default::default(),
            clean: Arc::new(|| {}),
        }
    }

    /// Calls `work`, which is completed before a signal ends the program. Calls must not be nested.
    pub(super) fn complete<T>(&self, work: impl FnOnce() -> T) -> T {
        self.defer();
        let done = work();
        self.release();
        done
    }

    /// Makes signals wait instead of ending the program; [`Interrupts::is_asked`] says whether one
    /// has come.
    pub(super) fn defer(&self) {
        self.is_free.store(false, Ordering::SeqCst);
    }

    /// Makes signals end the program at once again. A signal that has come in the meantime ends it
    /// now.
    pub(super) fn release(&self) {
        self.is_free.store(true, Ordering::SeqCst);
        for (signal, asked) in SIGNALS.into_iter().zip(&self.asked) {
            if asked.load(Ordering::SeqCst) {
                (self.clean)();
                // It fails for unknown signals only.
                let _ = low_level::emulate_default_handler(signal);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn ask(&self) {
        self.asked[0].store(true, Ordering::SeqCst);
    }

    /// Whether a signal to end the run, such as Ctrl-C, has come.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.iter().any(|asked| asked.load(Ordering::SeqCst))
    }
}

/// The signals that the program was started to ignore: bit n − 1 is set for signal n. 0 when the
/// system does not say.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

/// Makes writes fail that exceed the size limit of files (`ulimit -f`), instead of ending the
/// program.
#[cfg(unix)]
pub(super) fn survive_long_files() {
    // Where it cannot be caught, the program ends.
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

#[cfg(not(unix))]
pub(super) fn survive_long_files() {}
