//! Telling work under way that its result is no longer wanted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

type Waker = Box<dyn Fn() + Send + Sync>;

/// A flag that can be raised once, with call-backs for those who wait on something else than the flag.
///
/// A child is cancelled with its parent. Clones share the flag.
#[derive(Clone, Default)]
pub struct Cancel(Arc<Inner>);

#[derive(Default)]
struct Inner {
    raised: AtomicBool,
    deadline: Option<Instant>,
    listeners: Mutex<Listeners>,
}

#[derive(Default)]
struct Listeners {
    next: u64,
    wakers: Vec<(u64, Waker)>,
    children: Vec<Weak<Inner>>,
}

impl Cancel {
    /// A flag of its own.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag that is raised with this one, or alone. Whoever runs the work also has to end it at `deadline`.
    #[must_use]
    pub fn child(&self, deadline: Option<Instant>) -> Self {
        let child = Arc::new(Inner { deadline, ..Inner::default() });
        {
            let mut listeners = self.listeners();
            listeners.children.retain(|child| child.strong_count() > 0);
            listeners.children.push(Arc::downgrade(&child));
        }
        let child = Cancel(child);
        // Raised before the child was known to it: the child must not miss that.
        if self.is_raised() {
            child.raise();
        }
        child
    }

    /// Raises the flag and calls every waker.
    pub fn raise(&self) {
        if self.0.raised.swap(true, Ordering::SeqCst) {
            return;
        }
        let (wakers, children) = {
            let mut listeners = self.listeners();
            (std::mem::take(&mut listeners.wakers), std::mem::take(&mut listeners.children))
        };
        for (_, waker) in &wakers {
            waker();
        }
        for child in children.iter().filter_map(Weak::upgrade) {
            Cancel(child).raise();
        }
    }

    /// Whether the flag has been raised.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::SeqCst)
    }

    /// When the work has to end even if nobody raises the flag.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.0.deadline
    }

    /// Calls `waker` when the flag is raised (at once if it already is), until the guard is dropped.
    pub fn on_raise(&self, waker: impl Fn() + Send + Sync + 'static) -> WakerGuard {
        let id = {
            let mut listeners = self.listeners();
            listeners.next += 1;
            let id = listeners.next;
            listeners.wakers.push((id, Box::new(waker)));
            id
        };
        if self.is_raised() {
            let mine = {
                let mut listeners = self.listeners();
                let at = listeners.wakers.iter().position(|(other, _)| *other == id);
                at.map(|at| listeners.wakers.swap_remove(at))
            };
            if let Some((_, waker)) = mine {
                waker();
            }
        }
        WakerGuard { cancel: self.clone(), id }
    }

    fn listeners(&self) -> std::sync::MutexGuard<'_, Listeners> {
        self.0.listeners.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Forgets its waker when dropped.
pub struct WakerGuard {
    cancel: Cancel,
    id: u64,
}

impl Drop for WakerGuard {
    fn drop(&mut self) {
        self.cancel.listeners().wakers.retain(|(id, _)| *id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn children_and_wakers_hear_of_it_once() {
        let count = Arc::new(AtomicUsize::new(0));
        let heard = || {
            let count = Arc::clone(&count);
            move || {
                count.fetch_add(1, Ordering::SeqCst);
            }
        };
        let parent = Cancel::new();
        let child = parent.child(None);
        let _kept = child.on_raise(heard());
        drop(child.on_raise(heard()));
        parent.raise();
        parent.raise();
        assert!(child.is_raised());
        assert_eq!(count.load(Ordering::SeqCst), 1);
        let _late = child.on_raise(heard());
        assert_eq!(count.load(Ordering::SeqCst), 2);
        assert!(parent.child(None).is_raised());
    }
}
