//! Works on many items with several threads, and hands over the results in the order of the items.
//!
//! The calling thread gives out the items one by one and takes the results. It gives out no more than
//! a few items for each thread before it has taken the result of the first of them, so that no more
//! results than that are kept.

use std::{
    collections::BTreeMap,
    num::NonZero,
    panic::{self, AssertUnwindSafe},
    sync::{Mutex, PoisonError, mpsc},
    thread,
};

/// Most items for each thread that may be in work or wait for `take`, to limit the results that are
/// kept in memory.
const AHEAD: usize = 4;

/// Calls `work` for each item and its index on `threads` threads, and `take` with the results in
/// the order of the items on the calling thread. The first error of `take` ends it. A panic of
/// `work` becomes one of the calling thread. Where the system gives no threads, the calling thread
/// does the work.
pub(super) fn in_order<T: Sync, R: Send, E>(
    threads: NonZero<usize>,
    items: &[T],
    work: impl Fn(usize, &T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads.get().min(items.len());
    let (give, given) = mpsc::channel::<usize>();
    let (done, results) = mpsc::channel();
    let (given, work) = (&Mutex::new(given), &work);
    thread::scope(|scope| {
        // Dropped before the workers are waited for: they end when nothing can be given or taken.
        let (give, done, results) = (give, done, results);
        let worker = |done: mpsc::Sender<_>| {
            move || {
                let next = || given.lock().unwrap_or_else(PoisonError::into_inner).recv();
                while let Ok(index) = next() {
                    let result =
                        panic::catch_unwind(AssertUnwindSafe(|| work(index, &items[index])));
                    if done.send((index, result)).is_err() {
                        break;
                    }
                }
            }
        };
        let spawn =
            |_: &usize| thread::Builder::new().spawn_scoped(scope, worker(done.clone())).is_ok();
        let threads = if threads > 1 { (0..threads).take_while(spawn).count() } else { 0 };
        drop(done);
        if threads == 0 {
            return items.iter().enumerate().try_for_each(|(index, item)| take(work(index, item)));
        }

        let mut rest = 0..items.len();
        for index in rest.by_ref().take(threads * AHEAD) {
            let _ = give.send(index);
        }
        let mut waiting = BTreeMap::new();
        for taken in 0..items.len() {
            let result = loop {
                if let Some(result) = waiting.remove(&taken) {
                    break result;
                }
                let (index, result) = results.recv().expect("workers wait for items until the end");
                waiting.insert(index, result);
            };
            take(result.unwrap_or_else(|cause| panic::resume_unwind(cause)))?;
            if let Some(index) = rest.next() {
                let _ = give.send(index);
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn threads(count: usize) -> NonZero<usize> {
        NonZero::new(count).expect("not 0")
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for count in [0, 1, 2, 1000] {
            let items: Vec<usize> = (0..count).collect();
            for threads in [1, 2, 7].map(threads) {
                let mut all = Vec::new();
                let work = |index, item: &usize| {
                    if item.is_multiple_of(97) {
                        thread::yield_now();
                    }
                    (index, item * 2)
                };
                let taken = in_order(threads, &items, work, |result| {
                    all.push(result);
                    Ok::<_, ()>(())
                });
                taken.expect("nothing fails");
                assert!(all.into_iter().eq(items.iter().map(|item| (*item, item * 2))));
            }
        }
    }

    #[test]
    fn few_results_wait() {
        let (worked, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let items = [(); 1000];
        let work = |_, (): &()| _ = worked.fetch_add(1, Ordering::SeqCst);
        let mut taken = 0;
        let ended = in_order(threads(3), &items, work, |()| {
            thread::yield_now();
            most.fetch_max(worked.load(Ordering::SeqCst) - taken, Ordering::SeqCst);
            taken += 1;
            Ok::<_, ()>(())
        });
        ended.expect("nothing fails");
        assert!(most.into_inner() <= 3 * AHEAD);
    }

    #[test]
    fn an_error_ends_it() {
        for count in [1, 3] {
            let worked = AtomicUsize::new(0);
            let items: Vec<u32> = (0..10_000).collect();
            let work = |_, item: &u32| {
                worked.fetch_add(1, Ordering::Relaxed);
                *item
            };
            let take = |item| if item == 5 { Err("enough") } else { Ok(()) };
            assert_eq!(in_order(threads(count), &items, work, take), Err("enough"));
            assert!(worked.into_inner() <= 6 + count * AHEAD);
        }
    }

    #[test]
    #[should_panic(expected = "not this one")]
    fn a_panic_is_passed_on() {
        let items: Vec<u32> = (0..100).collect();
        let work = |_, item: &u32| assert_ne!(*item, 50, "not this one");
        let _ = in_order(threads(2), &items, work, |()| Ok::<_, ()>(()));
    }
}
