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

/// Ctrl-C, what a CI server sends to end a run, and what a terminal sends that is closed.
const SIGNALS: [c_int; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Ends the program when one of these signals comes: at once, or at the end of work that must be
/// complete. The second signal ends it at once, since the reader of what is written may never come.
#[derive(Clone)]
pub(super) struct Interrupts {
    /// Whether the program may end at once.
    is_free: Arc<AtomicBool>,
    /// For each signal, whether it has come.
    asked: [Arc<AtomicBool>; SIGNALS.len()],
    /// What is done before the program ends.
    clean: Arc<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for Interrupts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_free, asked, clean: _ } = self;
        f.debug_struct("Interrupts").field("is_free", is_free).field("asked", asked).finish()
    }
}

impl Interrupts {
    /// Catches signals from now on, but for those that whoever started the program ignores, as `nohup`
    /// does. Fails where the system does not allow it.
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

    /// Catches signals as [`Interrupts::catch`] does, and calls `clean` before one ends the program, also
    /// before the second one does.
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

    /// Waits for signals for ever. `came`: for each signal, whether one more has come.
    fn watch(&self, came: &[Arc<AtomicBool>]) {
        /// How often signals are looked for.
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

    /// Catches no signals.
    pub(super) fn none() -> Self {
        Self {
            is_free: Arc::new(AtomicBool::new(true)),
            asked: Default::default(),
            clean: Arc::new(|| {}),
        }
    }

    /// Calls `work`, which is completed before a signal ends the program. Calls are not nested.
    pub(super) fn complete<T>(&self, work: impl FnOnce() -> T) -> T {
        self.defer();
        let done = work();
        self.release();
        done
    }

    /// From now on, a signal does not end the program; [`Interrupts::is_asked`] tells of it.
    pub(super) fn defer(&self) {
        self.is_free.store(false, Ordering::SeqCst);
    }

    /// From now on, a signal ends the program at once, as does one that has come before.
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

    /// Whether a signal has come.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.iter().any(|asked| asked.load(Ordering::SeqCst))
    }
}

/// The signals that are ignored, a bit for each from 1. Returns 0 where the system does not tell.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

/// Lets writes fail that make a file longer than it may be (`ulimit -f`), instead of ending the
/// program at once.
#[cfg(unix)]
pub(super) fn survive_long_files() {
    // Where it cannot be caught, the program ends.
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

#[cfg(not(unix))]
pub(super) fn survive_long_files() {}
