//! Many inputs on several threads, and their results in order.

use std::{
    collections::BTreeMap,
    mem,
    num::NonZero,
    ops::{
        ControlFlow::{self, Break, Continue},
        Range,
    },
    panic,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// How many items go to a thread at a time, at most.
const TOGETHER: usize = 16;
/// How many times each thread comes for items, at least: where there are few of them, one that takes
/// long is not to hold up others.
const TIMES: usize = 16;
/// How many items are at work at a time, at most, however many files may be open.
const AT_WORK: usize = 128;
/// How many results may wait for their turn, for each thread: what one slow input holds up is not
/// to fill the memory.
const WAITING: usize = 2 * TOGETHER;

/// Threads that might work and have nothing to do: they may help with an item.
#[derive(Debug, Default)]
pub(super) struct Spare(AtomicUsize);

/// A thread that somebody may begin, until this is dropped.
#[derive(Debug)]
pub(super) struct Hand<'s>(&'s Spare);

impl Spare {
    pub(super) fn take(&self) -> Option<Hand<'_>> {
        let less = |count: usize| count.checked_sub(1);
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.is_ok().then(|| Hand(self))
    }

    fn add(&self, count: usize) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }
}

impl Drop for Hand<'_> {
    fn drop(&mut self) {
        self.0.add(1);
    }
}

/// Takes the results of the next items, those of one lot. `Break`: no more are wanted.
pub(super) type HandOn<'h, R> = dyn FnMut(Vec<R>) -> ControlFlow<()> + 'h;

/// Does `work` on a few items at a time, on as many threads as there may be, this one among them. It
/// hands on the results of one or some of them as soon as it has them, in the order of the items. They
/// come to `take` in the order of all items, as they were handed on, with their items. What it leaves
/// of them is dropped in the thread that they are from. It ends early with the first error of `take`.
///
/// What one thread has written and another reads has to go from processor to processor, so that each
/// takes what it has handed on itself, when it comes to hand on more and the turn of that has come:
/// only for threads that wait or have ended, others do it.
pub(super) fn in_order<T: Sync, R: Send, E: Send>(
    items: &[T],
    threads: NonZero<usize>,
    work: impl Fn(&[T], &Spare, &mut HandOn<'_, R>) + Sync,
    take: impl FnMut(&[T], &mut Vec<R>) -> Result<(), E> + Send,
) -> Result<(), E> {
    let (all, spare) = (threads.get(), Spare::default());
    let threads = all.min(items.len()).max(1);
    spare.add(all - threads);
    let together = (items.len() / (all * TIMES)).min(at_work() / all).clamp(1, TOGETHER);
    let desk = Desk::new(items, threads, take);
    let labour = |own| {
        // Whatever happens here, nobody waits for it.
        let alarm = Alarm(&desk);
        let mut left = Vec::new();
        while let Some(range) = desk.next(together, own) {
            let mut first = range.start;
            work(&items[range], &spare, &mut |results| {
                let lot = Lot { first, results, thread: own };
                first += lot.results.len();
                desk.put(lot, &mut left)
            });
        }
        spare.add(1);
        drop(alarm);
    };
    thread::scope(|scope| {
        let labour = &labour;
        let others: Vec<_> = (1..threads).map(|own| scope.spawn(move || labour(own))).collect();
        labour(0);
        for other in others {
            other.join().unwrap_or_else(|cause| panic::resume_unwind(cause));
        }
    });
    let state = desk.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.failure.map_or(Ok(()), Err)
}

/// How many items are at work at a time, at most: for each, a file may be open, and few may be.
#[cfg(target_os = "linux")]
fn at_work() -> usize {
    use rustix::process::{Resource, getrlimit};
    let files = getrlimit(Resource::Nofile).current.and_then(|files| usize::try_from(files).ok());
    files.map_or(AT_WORK, |files| AT_WORK.min(files / 4))
}

/// The same; no system is known where that were too many.
#[cfg(not(target_os = "linux"))]
fn at_work() -> usize {
    AT_WORK
}

/// For [`in_order`]: work that is done on one item after the other.
pub(super) fn each<T, R>(
    work: impl Fn(&T, &Spare) -> R,
) -> impl Fn(&[T], &Spare, &mut HandOn<'_, R>) {
    move |items, spare, hand_on| {
        _ = items.iter().try_for_each(|item| hand_on(vec![work(item, spare)]));
    }
}

/// Results of items that follow each other.
struct Lot<R> {
    /// The index of the first of the items.
    first: usize,
    results: Vec<R>,
    /// Who has made them.
    thread: usize,
}

/// Where results wait for their turn.
struct Desk<'t, T, R, E, F> {
    items: &'t [T],
    state: Mutex<State<R, E, F>>,
    /// More results may wait, or nobody needs to work any more.
    changed: Condvar,
    room: usize,
}

struct State<R, E, F> {
    /// The next item to be worked on.
    next: usize,
    /// How many results have been taken.
    taken: usize,
    /// By their first items.
    ready: BTreeMap<usize, Lot<R>>,
    /// What is left of those taken in other threads, by their own: memory is given back in the thread
    /// that took it, or the threads would wait for each other.
    left: Vec<Vec<Vec<R>>>,
    /// Which threads will not come by soon: they wait, or have ended.
    are_away: Vec<bool>,
    /// How many of them wait for a change.
    waiting: usize,
    /// What takes results; `None` while it does.
    take: Option<F>,
    failure: Option<E>,
    is_closed: bool,
}

impl<R, E, F> State<R, E, F> {
    fn flow(&self) -> ControlFlow<()> {
        if self.is_closed { Break(()) } else { Continue(()) }
    }

    /// The next results, if they are for this thread to take.
    fn lot_for(&mut self, thread: usize) -> Option<Lot<R>> {
        let next = self.ready.first_entry().filter(|next| *next.key() == self.taken)?;
        let own = next.get().thread;
        (own == thread || self.are_away[own]).then(|| next.remove())
    }
}

impl<'t, T, R, E, F: FnMut(&[T], &mut Vec<R>) -> Result<(), E>> Desk<'t, T, R, E, F> {
    fn new(items: &'t [T], threads: usize, take: F) -> Self {
        let state = State {
            next: 0,
            taken: 0,
            ready: BTreeMap::new(),
            left: (0..threads).map(|_| Vec::new()).collect(),
            are_away: vec![false; threads],
            waiting: 0,
            take: Some(take),
            failure: None,
            is_closed: false,
        };
        Self { items, state: Mutex::new(state), changed: Condvar::new(), room: threads * WAITING }
    }

    fn state(&self) -> MutexGuard<'_, State<R, E, F>> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The indices of so many items for a thread to work on; waits while too many results do. `None`:
    /// it has to do no more.
    fn next(&self, together: usize, thread: usize) -> Option<Range<usize>> {
        let mut state = self.state();
        let is_full = |state: &State<R, E, F>| {
            state.next < self.items.len() && state.next >= state.taken + self.room
        };
        if is_full(&state) {
            state = self.take_turns(state, thread);
        }
        while !state.is_closed && is_full(&state) {
            state.are_away[thread] = true;
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
            state.are_away[thread] = false;
            state = self.take_turns(state, thread);
        }
        let first = state.next;
        if state.is_closed || first >= self.items.len() {
            state.are_away[thread] = true;
            drop(self.take_turns(state, thread));
            return None;
        }
        state.next = self.items.len().min(first + together);
        Some(first..state.next)
    }

    /// Puts results down, and takes them and those behind them if it is their turn. Drops what is left
    /// of earlier results of the thread, by way of `left`, which is empty before and after. `Break`: no
    /// more are wanted.
    fn put(&self, lot: Lot<R>, left: &mut Vec<Vec<R>>) -> ControlFlow<()> {
        let thread = lot.thread;
        let mut state = self.state();
        mem::swap(left, &mut state.left[thread]);
        if !lot.results.is_empty() {
            state.ready.insert(lot.first, lot);
        }
        state = self.take_turns(state, thread);
        let flow = state.flow();
        drop(state);
        left.clear();
        flow
    }

    /// Takes those results whose turn it is that are for this thread to take.
    fn take_turns<'d>(
        &'d self,
        mut state: MutexGuard<'d, State<R, E, F>>,
        thread: usize,
    ) -> MutexGuard<'d, State<R, E, F>> {
        // Who is at it goes on with those of this thread if it goes away.
        let Some(mut take) = state.take.take() else { return state };
        while !state.is_closed {
            let Some(Lot { first, mut results, thread: own }) = state.lot_for(thread) else { break };
            drop(state);
            let count = results.len();
            let taken = take(&self.items[first..first + count], &mut results);
            let others = if own == thread {
                results.clear();
                None
            } else {
                Some(results)
            };
            state = self.state();
            state.taken += count;
            state.left[own].extend(others);
            if let Err(error) = taken {
                state.failure = Some(error);
                state.is_closed = true;
            }
            self.tell(&state);
        }
        state.take = Some(take);
        state
    }

    /// Wakes those who wait: it costs a system call even where there are none.
    fn tell(&self, state: &State<R, E, F>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        self.tell(&state);
    }
}

/// Closes the desk when its thread panics, so that nobody waits for it.
struct Alarm<'d, T, R, E, F: FnMut(&[T], &mut Vec<R>) -> Result<(), E>>(&'d Desk<'d, T, R, E, F>);

impl<T, R, E, F: FnMut(&[T], &mut Vec<R>) -> Result<(), E>> Drop for Alarm<'_, T, R, E, F> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn threads(count: usize) -> NonZero<usize> {
        NonZero::new(count).expect("not 0")
    }

    #[test]
    fn results_come_in_order_whatever_takes_long() {
        let items: Vec<u64> = (0..1000).collect();
        for count in [1, 2, 7] {
            let mut taken = Vec::new();
            let work = |item: &u64, _: &Spare| {
                if item.is_multiple_of(97) {
                    thread::yield_now();
                }
                item * 2
            };
            let take = |items: &[u64], results: &mut Vec<u64>| {
                taken.extend(items.iter().copied().zip(results.drain(..)));
                Ok::<_, Infallible>(())
            };
            in_order(&items, threads(count), each(work), take).expect("infallible");
            assert!(taken.iter().copied().eq(items.iter().map(|item| (*item, item * 2))));
        }
    }

    #[test]
    fn what_is_left_is_dropped_in_the_thread_that_it_is_from() {
        const THREADS: usize = 3;

        struct Left<'a>(thread::ThreadId, &'a AtomicUsize);

        impl Drop for Left<'_> {
            fn drop(&mut self) {
                let is_elsewhere = thread::current().id() != self.0;
                self.1.fetch_add(usize::from(is_elsewhere), Ordering::Relaxed);
            }
        }

        let items: Vec<u64> = (0..10_000).collect();
        let elsewhere = AtomicUsize::new(0);
        let work = |_: &u64, _: &Spare| {
            thread::yield_now();
            Left(thread::current().id(), &elsewhere)
        };
        let take = |_: &[u64], _: &mut Vec<Left>| Ok::<_, Infallible>(());
        in_order(&items, threads(THREADS), each(work), take).expect("infallible");
        // Those that are left when their threads have ended.
        assert!(elsewhere.into_inner() <= THREADS * WAITING);
    }

    #[test]
    fn who_has_nothing_to_do_may_help() {
        let helpers = |items: &[u32], count| {
            let mut most = Vec::new();
            let work = |_: &u32, spare: &Spare| {
                let hands: Vec<_> = std::iter::from_fn(|| spare.take()).collect();
                hands.len()
            };
            let take = |_: &[u32], hands: &mut Vec<usize>| {
                most.append(hands);
                Ok::<_, Infallible>(())
            };
            in_order(items, threads(count), each(work), take).expect("infallible");
            most
        };
        assert!(helpers(&[], 1).is_empty() && helpers(&[], 2).is_empty());
        assert_eq!(helpers(&[1], 1), [0]);
        assert_eq!(helpers(&[1, 2, 3], 1), [0, 0, 0]);
        assert_eq!(helpers(&[1], 4), [3]);
        assert!(helpers(&[1; 100], 2).iter().all(|hands| *hands < 2));
    }

    #[test]
    fn few_are_at_work_at_a_time() {
        let items: Vec<u32> = (0..10_000).collect();
        for (count, most) in [(1, TOGETHER), (8, TOGETHER), (40, 3), (200, 1)] {
            let work = |items: &[u32], _: &Spare, hand_on: &mut HandOn<'_, usize>| {
                _ = hand_on(vec![items.len(); items.len()]);
            };
            let mut greatest = 0;
            let take = |_: &[u32], together: &mut Vec<usize>| {
                greatest = together.iter().copied().fold(greatest, usize::max);
                Ok::<_, Infallible>(())
            };
            in_order(&items, threads(count), work, take).expect("infallible");
            assert_eq!(greatest, most, "on {count} threads");
        }
    }

    #[test]
    fn an_error_ends_it() {
        let items: Vec<u32> = (0..10_000).collect();
        for count in [1, 3] {
            let mut taken = 0;
            let take = |items: &[u32], _: &mut Vec<()>| {
                taken += items.len();
                if items.contains(&5) { Err("enough") } else { Ok(()) }
            };
            let worked = AtomicUsize::new(0);
            let work = |_: &u32, _: &Spare| _ = worked.fetch_add(1, Ordering::Relaxed);
            assert_eq!(in_order(&items, threads(count), each(work), take), Err("enough"));
            assert_eq!(taken, 6);
            assert!(worked.into_inner() <= 6 + count * WAITING);
        }
    }

    #[test]
    #[should_panic(expected = "not this one")]
    fn a_panic_is_passed_on() {
        let items: Vec<u32> = (0..100).collect();
        let work = |item: &u32, _: &Spare| assert_ne!(*item, 50, "not this one");
        let _ = in_order(&items, threads(2), each(work), |_, _: &mut Vec<()>| Ok::<_, ()>(()));
    }
}
