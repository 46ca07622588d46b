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

/// Takes a result. `Break`: no more are wanted.
pub(super) type HandOn<'h, R> = dyn FnMut(R) -> ControlFlow<()> + 'h;

/// Does `work` on a few items at a time, on as many threads as there may be, this one among them. It
/// hands on the result of each as soon as it has it, in the order of the items. The results come to
/// `take` in the order of all items: whoever has the next one does that, and hands on what waited for
/// it. What `take` leaves of a result is dropped in the thread that it is from. It ends early with the
/// first error of `take`.
pub(super) fn in_order<T: Sync, R: Send, L: Send, E: Send>(
    items: &[T],
    threads: NonZero<usize>,
    work: impl Fn(&[T], &Spare, &mut HandOn<'_, R>) + Sync,
    mut take: impl FnMut(&T, R) -> Result<L, E> + Send,
) -> Result<(), E> {
    let (all, spare) = (threads.get(), Spare::default());
    let threads = all.min(items.len());
    spare.add(all - threads);
    let together = (items.len() / (all * TIMES)).min(at_work() / all).clamp(1, TOGETHER);
    let desk = Desk::new(threads, |index: usize, result| take(&items[index], result));
    let labour = |thread| {
        // Whatever happens here, nobody waits for it.
        let alarm = Alarm(&desk);
        let mut left = Vec::new();
        while let Some(range) = desk.next(items.len(), together) {
            let mut indices = range.clone();
            work(&items[range], &spare, &mut |result| {
                let index = indices.next();
                index.map_or(Break(()), |index| desk.put(index, Done { result, thread }, &mut left))
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
        _ = items.iter().try_for_each(|item| hand_on(work(item, spare)));
    }
}

/// Where results wait for their turn.
struct Desk<R, L, E, F> {
    state: Mutex<State<R, L, E, F>>,
    /// More results may wait, or nobody needs to work any more.
    changed: Condvar,
    room: usize,
}

struct State<R, L, E, F> {
    /// The next item to be worked on.
    next: usize,
    /// How many results have been taken.
    taken: usize,
    ready: BTreeMap<usize, Done<R>>,
    /// What is left of those taken in other threads, by their own: memory is given back in the thread
    /// that took it, or the threads would wait for each other.
    left: Vec<Vec<L>>,
    /// What takes results; `None` while it does.
    take: Option<F>,
    failure: Option<E>,
    /// How many threads wait for a change.
    waiting: usize,
    is_closed: bool,
}

/// A result, and the thread that it is from.
struct Done<R> {
    result: R,
    thread: usize,
}

impl<R, L, E, F> State<R, L, E, F> {
    fn flow(&self) -> ControlFlow<()> {
        if self.is_closed { Break(()) } else { Continue(()) }
    }
}

impl<R, L, E, F: FnMut(usize, R) -> Result<L, E>> Desk<R, L, E, F> {
    fn new(threads: usize, take: F) -> Self {
        let state = State {
            next: 0,
            taken: 0,
            ready: BTreeMap::new(),
            left: (0..threads).map(|_| Vec::new()).collect(),
            take: Some(take),
            failure: None,
            waiting: 0,
            is_closed: false,
        };
        Self { state: Mutex::new(state), changed: Condvar::new(), room: threads * WAITING }
    }

    fn state(&self) -> MutexGuard<'_, State<R, L, E, F>> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The indices of so many items to work on, of `count`; waits while too many results do.
    fn next(&self, count: usize, together: usize) -> Option<Range<usize>> {
        let mut state = self.state();
        while !state.is_closed && state.next < count && state.next >= state.taken + self.room {
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        let first = state.next;
        (!state.is_closed && first < count).then(|| {
            state.next = count.min(first + together);
            first..state.next
        })
    }

    /// Puts a result down, and takes it and those behind it if it is their turn. Drops what is left of
    /// earlier results of the thread, by way of `left`, which is empty before and after. `Break`: no
    /// more are wanted.
    fn put(&self, index: usize, done: Done<R>, left: &mut Vec<L>) -> ControlFlow<()> {
        let own = done.thread;
        let mut state = self.state();
        mem::swap(left, &mut state.left[own]);
        state.ready.insert(index, done);
        // Who is at it will find it.
        if let Some(mut take) = state.take.take() {
            while !state.is_closed {
                let index = state.taken;
                let Some(Done { result, thread }) = state.ready.remove(&index) else { break };
                drop(state);
                let taken = take(index, result);
                let others = taken.map(|rest| (thread != own).then_some(rest));
                state = self.state();
                state.taken += 1;
                match others {
                    Ok(rest) => state.left[thread].extend(rest),
                    Err(error) => {
                        state.failure = Some(error);
                        state.is_closed = true;
                    }
                }
                self.tell(&state);
            }
            state.take = Some(take);
        }
        let flow = state.flow();
        drop(state);
        left.clear();
        flow
    }

    /// Wakes those who wait: it costs a system call even where there are none.
    fn tell(&self, state: &State<R, L, E, F>) {
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
struct Alarm<'d, R, L, E, F: FnMut(usize, R) -> Result<L, E>>(&'d Desk<R, L, E, F>);

impl<R, L, E, F: FnMut(usize, R) -> Result<L, E>> Drop for Alarm<'_, R, L, E, F> {
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
            let take = |item: &u64, result| {
                taken.push((*item, result));
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
        let take = |_: &u64, result| Ok::<_, Infallible>(result);
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
            let take = |_: &u32, hands| {
                most.push(hands);
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
                _ = items.iter().try_for_each(|_| hand_on(items.len()));
            };
            let mut greatest = 0;
            let take = |_: &u32, together: usize| {
                greatest = greatest.max(together);
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
            let take = |item: &u32, ()| {
                taken += 1;
                if *item == 5 { Err("enough") } else { Ok(()) }
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
        let _ = in_order(&items, threads(2), each(work), |_, ()| Ok::<_, ()>(()));
    }
}
