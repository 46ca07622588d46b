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
        Condvar, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread::{self, Scope, ScopedJoinHandle},
    time::Duration,
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

/// What there is to do.
#[derive(Debug)]
pub(super) struct Job<T, C, K> {
    pub(super) items: Vec<T>,
    /// What those who work on them need.
    pub(super) means: C,
    /// What becomes of the results.
    pub(super) outcome: K,
}

/// A job, and how it has ended.
pub(super) type Ended<T, C, K, E> = (Job<T, C, K>, Result<(), E>);

/// Does a job on as many threads as there may be, this one among them, and tells how it has ended.
/// While this thread prepares it, another one does something else, if it is told what.
///
/// `work` is done on a few items at a time. It hands on the results of one or some of them as soon as
/// it has them, in the order of the items. They come to `take` in the order of all items, as they were
/// handed on, with their items. What it leaves of them is dropped in the thread that they are from. The
/// first error of `take` ends it.
///
/// What one thread has written and another reads has to go from processor to processor, so that each
/// takes what it has handed on itself, when it comes to hand on more and the turn of that has come.
/// Others do it only for threads that wait or have ended, or when they have nothing else to do.
pub(super) fn in_order<T, C, K, R, E, X>(
    threads: NonZero<usize>,
    meanwhile: Option<impl FnOnce() + Send>,
    prepare: impl FnOnce() -> Result<Job<T, C, K>, X>,
    work: impl Fn(&C, &[T], &Spare, &mut HandOn<'_, R>) + Sync,
    take: impl Fn(&mut K, &C, &[T], &mut Vec<R>) -> Result<(), E> + Sync,
) -> Result<Ended<T, C, K, E>, X>
where
    T: Send + Sync,
    C: Send + Sync,
    K: Send,
    R: Send,
    E: Send,
{
    let all = threads.get();
    let desk = OnceLock::new();
    let labour = |own| {
        let desk: &Option<Desk<T, C, K, R, E>> = desk.wait();
        if let Some(desk) = desk {
            desk.labour(own, &work, &take);
        }
    };
    thread::scope(|scope| {
        let labour = &labour;
        let early = meanwhile.filter(|_| all > 1).and_then(|meanwhile| {
            begin(scope, move || {
                meanwhile();
                labour(1);
            })
        });
        // Whatever happens here, nobody waits for it.
        let alarm = Alarm(|| _ = desk.set(None));
        let job = prepare()?;
        let begun = 1 + usize::from(early.is_some());
        let count = all.min(job.items.len()).max(begun);
        desk.get_or_init(|| Some(Desk::new(job, all, count)));
        drop(alarm);
        // Where there is no thread to be had, there are fewer.
        let others = (begun..count)
            .filter_map(|own| thread::Builder::new().spawn_scoped(scope, move || labour(own)).ok());
        let others: Vec<_> = early.into_iter().chain(others).collect();
        labour(0);
        for other in others {
            other.join().unwrap_or_else(|cause| panic::resume_unwind(cause));
        }
        Ok(())
    })?;
    let Desk { items, means, state, .. } = desk.into_inner().flatten().expect("there was a job");
    let State { outcome, failure, .. } = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let outcome = outcome.expect("nobody is at it");
    Ok((Job { items, means, outcome }, failure.map_or(Ok(()), Err)))
}

/// Begins a thread, if there is one to be had.
fn begin<'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, ()>> {
    /// What is waited for takes a twentieth of it, if there is a processor that has nothing to do.
    const PAUSE: Duration = Duration::from_millis(1);
    let (here, begun) = mpsc::channel::<()>();
    let thread = thread::Builder::new().spawn_scoped(scope, || {
        drop(here);
        work();
    });
    // It may begin on the processor of this thread, and wait some milliseconds for a pause of it, even
    // where others have nothing to do: so here is one.
    _ = begun.recv_timeout(PAUSE);
    thread.ok()
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
pub(super) fn each<T, C, R>(
    work: impl Fn(&C, &T, &Spare) -> R,
) -> impl Fn(&C, &[T], &Spare, &mut HandOn<'_, R>) {
    move |means, items, spare, hand_on| {
        _ = items.iter().try_for_each(|item| hand_on(vec![work(means, item, spare)]));
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

/// Where items are, and results wait for their turn.
struct Desk<T, C, K, R, E> {
    items: Vec<T>,
    means: C,
    spare: Spare,
    /// How many items go to a thread at a time.
    together: usize,
    /// How many results may wait.
    room: usize,
    state: Mutex<State<K, R, E>>,
    /// More results may wait, or nobody needs to work any more.
    changed: Condvar,
}

struct State<K, R, E> {
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
    /// What becomes of results; `None` while somebody is at it.
    outcome: Option<K>,
    failure: Option<E>,
    is_closed: bool,
}

impl<K, R, E> State<K, R, E> {
    /// The next results, if they are for this thread to take, which may have nothing else to do.
    fn lot_for(&mut self, thread: usize, is_idle: bool) -> Option<Lot<R>> {
        let next = self.ready.first_entry().filter(|next| *next.key() == self.taken)?;
        let own = next.get().thread;
        (own == thread || is_idle || self.are_away[own]).then(|| next.remove())
    }
}

impl<T, C, K, R, E> Desk<T, C, K, R, E> {
    /// For so many threads, of as many as there may be.
    fn new(job: Job<T, C, K>, all: usize, threads: usize) -> Self {
        let Job { items, means, outcome } = job;
        let spare = Spare::default();
        // Those for which there is no item, too: they will end at once.
        spare.add(all - threads.min(items.len()));
        let together = (items.len() / (all * TIMES)).min(at_work() / all).clamp(1, TOGETHER);
        let state = State {
            next: 0,
            taken: 0,
            ready: BTreeMap::new(),
            left: (0..threads).map(|_| Vec::new()).collect(),
            are_away: vec![false; threads],
            waiting: 0,
            outcome: Some(outcome),
            failure: None,
            is_closed: false,
        };
        let (state, changed) = (Mutex::new(state), Condvar::new());
        Self { items, means, spare, together, room: threads * WAITING, state, changed }
    }

    /// What each thread does.
    fn labour(
        &self,
        own: usize,
        work: impl Fn(&C, &[T], &Spare, &mut HandOn<'_, R>),
        take: impl Fn(&mut K, &C, &[T], &mut Vec<R>) -> Result<(), E>,
    ) {
        // Whatever happens here, nobody waits for it.
        let alarm = Alarm(|| self.close());
        let take = |outcome: &mut K, first: usize, results: &mut Vec<R>| {
            let items = &self.items[first..first + results.len()];
            take(outcome, &self.means, items, results)
        };
        let mut left = Vec::new();
        while let Some(range) = self.next(own, take) {
            let mut first = range.start;
            work(&self.means, &self.items[range], &self.spare, &mut |results| {
                let lot = Lot { first, results, thread: own };
                first += lot.results.len();
                self.put(lot, &mut left, take)
            });
        }
        if own < self.items.len() {
            self.spare.add(1);
        }
        mem::forget(alarm);
    }

    fn state(&self) -> MutexGuard<'_, State<K, R, E>> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The indices of the next items for a thread to work on; waits while too many results do. `None`:
    /// it has to do no more.
    fn next(&self, thread: usize, take: impl Take<K, R, E>) -> Option<Range<usize>> {
        let mut state = self.state();
        let is_full = |state: &State<K, R, E>| {
            state.next < self.items.len() && state.next >= state.taken + self.room
        };
        if is_full(&state) {
            state = self.take_turns(state, thread, true, take);
        }
        while !state.is_closed && is_full(&state) {
            state.are_away[thread] = true;
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
            state.are_away[thread] = false;
            state = self.take_turns(state, thread, true, take);
        }
        let first = state.next;
        if state.is_closed || first >= self.items.len() {
            state.are_away[thread] = true;
            drop(self.take_turns(state, thread, true, take));
            return None;
        }
        // At the end fewer, so that all threads end at about the same time.
        let rest = (self.items.len() - first).div_ceil(state.left.len());
        state.next = first + rest.min(self.together);
        Some(first..state.next)
    }

    /// Puts results down, and takes those whose turn it is. Drops what is left of earlier results of the
    /// thread, by way of `left`, which is empty before and after. `Break`: no more are wanted.
    fn put(
        &self,
        lot: Lot<R>,
        left: &mut Vec<Vec<R>>,
        take: impl Take<K, R, E>,
    ) -> ControlFlow<()> {
        let thread = lot.thread;
        let mut state = self.state();
        mem::swap(left, &mut state.left[thread]);
        if !lot.results.is_empty() {
            state.ready.insert(lot.first, lot);
        }
        state = self.take_turns(state, thread, false, take);
        let flow = if state.is_closed { Break(()) } else { Continue(()) };
        drop(state);
        left.clear();
        flow
    }

    /// Takes those results whose turn it is, as far as they are for this thread to take.
    fn take_turns<'d>(
        &'d self,
        mut state: MutexGuard<'d, State<K, R, E>>,
        thread: usize,
        is_idle: bool,
        take: impl Take<K, R, E>,
    ) -> MutexGuard<'d, State<K, R, E>> {
        // Who is at it sees if this thread goes away.
        let Some(mut outcome) = state.outcome.take() else { return state };
        while !state.is_closed {
            let Some(Lot { first, mut results, thread: own }) = state.lot_for(thread, is_idle)
            else {
                break;
            };
            drop(state);
            let count = results.len();
            let taken = take(&mut outcome, first, &mut results);
            let others = (own != thread).then_some(results);
            state = self.state();
            state.taken += count;
            state.left[own].extend(others);
            if let Err(error) = taken {
                state.failure = Some(error);
                state.is_closed = true;
            }
            self.tell(&state);
        }
        state.outcome = Some(outcome);
        state
    }

    /// Wakes those who wait: it costs a system call even where there are none.
    fn tell(&self, state: &State<K, R, E>) {
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

/// Takes results into what becomes of them; the first of them is that of the item with this index.
trait Take<K, R, E>: Fn(&mut K, usize, &mut Vec<R>) -> Result<(), E> + Copy {}

impl<K, R, E, F: Fn(&mut K, usize, &mut Vec<R>) -> Result<(), E> + Copy> Take<K, R, E> for F {}

/// Calls when it is dropped.
struct Alarm<F: FnMut()>(F);

impl<F: FnMut()> Drop for Alarm<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    fn threads(count: usize) -> NonZero<usize> {
        NonZero::new(count).expect("not 0")
    }

    /// Does a job that is ready, and tells how it has ended.
    fn done<T: Send + Sync, K: Send, R: Send, E: Send>(
        items: Vec<T>,
        count: usize,
        outcome: K,
        work: impl Fn(&[T], &Spare, &mut HandOn<'_, R>) + Sync,
        take: impl Fn(&mut K, &[T], &mut Vec<R>) -> Result<(), E> + Sync,
    ) -> (K, Result<(), E>) {
        let (job, ended) = in_order(
            threads(count),
            None::<fn()>,
            || Ok::<_, ()>(Job { items, means: (), outcome }),
            |(), items, spare, hand_on| work(items, spare, hand_on),
            |outcome, (), items, results| take(outcome, items, results),
        )
        .expect("it is ready");
        (job.outcome, ended)
    }

    /// The same, and has all results with their items.
    fn all<T: Clone + Send + Sync, R: Send>(
        items: &[T],
        count: usize,
        work: impl Fn(&[T], &Spare, &mut HandOn<'_, R>) + Sync,
    ) -> Vec<(T, R)> {
        let take = |all: &mut Vec<_>, items: &[T], results: &mut Vec<R>| {
            all.extend(items.iter().cloned().zip(results.drain(..)));
            Ok::<_, ()>(())
        };
        let (all, ended) = done(items.to_vec(), count, Vec::new(), work, take);
        ended.expect("nothing fails");
        all
    }

    /// For work that is done on one item after the other.
    fn single<T, R>(work: impl Fn(&T, &Spare) -> R) -> impl Fn(&[T], &Spare, &mut HandOn<'_, R>) {
        let each = each(move |(): &(), item: &T, spare: &Spare| work(item, spare));
        move |items, spare, hand_on| each(&(), items, spare, hand_on)
    }

    #[test]
    fn results_come_in_order_whatever_takes_long() {
        let items: Vec<u64> = (0..1000).collect();
        let twice = |item: &u64| {
            if item.is_multiple_of(97) {
                thread::yield_now();
            }
            item * 2
        };
        let expected: Vec<_> = items.iter().map(|item| (*item, item * 2)).collect();
        for count in [1, 2, 7] {
            assert_eq!(all(&items, count, single(|item, _| twice(item))), expected);
            // Some together, others alone, and sometimes none.
            let in_lots = |items: &[u64], _: &Spare, hand_on: &mut HandOn<'_, u64>| {
                for lot in items.chunk_by(|one, _| !one.is_multiple_of(5)) {
                    _ = hand_on(lot.iter().map(twice).collect());
                }
                _ = hand_on(Vec::new());
            };
            assert_eq!(all(&items, count, in_lots), expected);
        }
    }

    #[test]
    fn who_has_nothing_to_do_takes_the_results_of_others() {
        let (begun, taken) = (Barrier::new(2), AtomicUsize::new(0));
        let work = single(|item: &u32, _| match item {
            // One thread is at this until the other one, with the result of 1, has come to 2.
            0 => _ = begun.wait(),
            2 => {
                begun.wait();
                while taken.load(Ordering::Relaxed) < 2 {
                    thread::yield_now();
                }
            }
            _ => {}
        });
        let take = |(): &mut (), items: &[u32], _: &mut Vec<()>| {
            taken.fetch_add(items.len(), Ordering::Relaxed);
            Ok::<_, ()>(())
        };
        // So few go to the threads one by one.
        done((0..30).collect(), 2, (), work, take).1.expect("nothing fails");
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

        let elsewhere = AtomicUsize::new(0);
        let work = single(|_: &u64, _| {
            thread::yield_now();
            Left(thread::current().id(), &elsewhere)
        });
        let take = |(): &mut (), _: &[u64], _: &mut Vec<Left<'_>>| Ok::<_, ()>(());
        done((0..10_000).collect(), THREADS, (), work, take).1.expect("nothing fails");
        // Those that are left when their threads have ended.
        assert!(elsewhere.into_inner() <= THREADS * WAITING);
    }

    #[test]
    fn who_has_nothing_to_do_may_help() {
        let helpers = |items: &[u32], count| -> Vec<usize> {
            let work = single(|_: &u32, spare: &Spare| {
                let hands: Vec<_> = std::iter::from_fn(|| spare.take()).collect();
                hands.len()
            });
            all(items, count, work).into_iter().map(|(_, hands)| hands).collect()
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
            let greatest = all(&items, count, work).into_iter().map(|(_, together)| together).max();
            assert_eq!(greatest, Some(most), "on {count} threads");
        }
    }

    #[test]
    fn an_error_ends_it() {
        for count in [1, 3] {
            let worked = AtomicUsize::new(0);
            let work = single(|_: &u32, _| _ = worked.fetch_add(1, Ordering::Relaxed));
            let take = |taken: &mut usize, items: &[u32], _: &mut Vec<()>| {
                *taken += items.len();
                if items.contains(&5) { Err("enough") } else { Ok(()) }
            };
            let ended = done((0..10_000).collect(), count, 0, work, take);
            assert_eq!(ended, (6, Err("enough")));
            assert!(worked.into_inner() <= 6 + count * WAITING);
        }
    }

    #[test]
    #[should_panic(expected = "not this one")]
    fn a_panic_is_passed_on() {
        let items: Vec<u32> = (0..100).collect();
        all(&items, 2, single(|item: &u32, _| assert_ne!(*item, 50, "not this one")));
    }

    #[test]
    fn another_thread_is_at_work_while_a_job_is_prepared() {
        // Each waits for the other.
        let both = Barrier::new(2);
        let meanwhile = || _ = both.wait();
        for items in [vec![], vec![3], vec![1, 2, 3, 4, 5]] {
            let sum: u32 = items.iter().sum();
            let prepare = || {
                both.wait();
                Ok::<_, ()>(Job { items, means: 10, outcome: 0 })
            };
            let (job, ended) = in_order(
                threads(2),
                Some(meanwhile),
                prepare,
                each(|factor: &u32, item: &u32, _: &Spare| item * factor),
                |total, _, _, results| {
                    *total += results.iter().sum::<u32>();
                    Ok::<_, ()>(())
                },
            )
            .expect("it is ready");
            assert_eq!((job.outcome, ended), (sum * 10, Ok(())));
        }
    }

    #[test]
    fn nobody_waits_for_a_job_that_does_not_come() {
        let take = |(): &mut (), (): &(), _: &[u32], _: &mut Vec<()>| Ok::<_, ()>(());
        let work = each(|(): &(), _: &u32, _: &Spare| {});
        let ended = in_order(threads(2), Some(|| {}), || Err("there is none"), work, take);
        assert_eq!(ended.map(|(job, ended)| (job.items, ended)), Err("there is none"));
    }

    #[test]
    #[should_panic(expected = "not even prepared")]
    fn nobody_waits_for_a_job_whose_preparation_panics() {
        let take = |(): &mut (), (): &(), _: &[u32], _: &mut Vec<()>| Ok::<_, ()>(());
        let work = each(|(): &(), _: &u32, _: &Spare| {});
        let prepare = || -> Result<Job<_, _, _>, ()> { panic!("not even prepared") };
        _ = in_order(threads(2), Some(|| {}), prepare, work, take);
    }
}
