//! Decisions on a stream of URLs, of which slow sites hold up only their own.

use std::collections::{HashMap, VecDeque};
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::vec;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, Stream, StreamExt};
use robotsieve::{AsUrl, Origin};

use super::attempt::{Shared, SiteOrAttempt};
use super::decision::{SieveDecision, Site};
use super::error::SieveError;
use super::metrics::count;
use super::table::EntryRef;

/// The number of URLs that may wait unless the caller says otherwise.
const MAX_WAITING: usize = 4096;

/// After how many URLs a stream looks for sites that have been fetched, and lets other tasks run.
const TURNS: u64 = 128;

/// The result for one URL of a stream.
#[derive(Clone, Debug)]
pub struct Decided<U> {
    /// The place of the URL in the input, from 0.
    pub index: u64,
    /// The decision, which contains the URL; or the URL and why there is no decision.
    pub result: Result<SieveDecision<U>, Undecided<U>>,
}

impl<U: AsUrl> Decided<U> {
    /// The URL.
    #[must_use]
    pub fn url(&self) -> &U {
        match &self.result {
            Ok(decision) => decision.url(),
            Err(undecided) => &undecided.url,
        }
    }
}

/// A URL without a decision. Its `Display` is that of the error: the URL may be any bytes.
#[derive(Clone, Debug)]
pub struct Undecided<U> {
    /// The URL.
    pub url: U,
    /// The reason for having no decision.
    pub error: SieveError,
}

impl<U> fmt::Display for Undecided<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<U: fmt::Debug> Error for Undecided<U> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

/// A stream of decisions, in the order in which they are ready.
///
/// Made by [`Sieve::decide_stream`](super::Sieve::decide_stream) and
/// [`Sieve::decide_iter`](super::Sieve::decide_iter). [`Decisions::in_order`] keeps the
/// order of the input instead.
///
/// The stream takes a URL from its input only when it is polled. A URL whose site is known is
/// decided at once, without allocating. A URL whose site has to be fetched is set aside, and the
/// stream goes on with the next, until [`max_waiting`](Decisions::max_waiting) URLs are waiting:
/// then it takes no more URLs until one of their sites is fetched. So memory is bounded, and a
/// slow site holds up others only if it has that many URLs in the input at once;
/// [`max_waiting_per_site`](Decisions::max_waiting_per_site) prevents that too.
///
/// All sites that URLs wait for are fetched in parallel, as far as the fetcher allows. Dropping
/// the stream cancels none of these attempts. Now and then the stream lets other tasks run, even
/// if it need not wait.
pub struct Decisions<S: Stream> {
    shared: Arc<Shared>,
    urls: Pin<Box<S>>,
    has_ended: bool,
    /// The number of URLs that have been taken from the input.
    taken: u64,
    /// The URLs that wait, by site.
    waiting: HashMap<Box<str>, Vec<Waiting<S::Item>>, foldhash::fast::RandomState>,
    waiting_len: usize,
    attempts: FuturesUnordered<BoxFuture<'static, Awaited>>,
    /// A site that was waited for, and the URLs that did.
    found: Option<FoundSite>,
    found_urls: vec::IntoIter<Waiting<S::Item>>,
    turns: u64,
    max_waiting: usize,
    max_per_site: usize,
    /// In the order of the input: how many decisions have been returned.
    returned: Option<u64>,
}

/// A site, or why there is none.
type FoundSite = Result<Site, SieveError>;

/// A URL that waits, and its place in the input.
type Waiting<U> = (u64, U);

/// The key of a site that was waited for, and what became of it.
type Awaited = (Box<str>, Result<EntryRef, SieveError>);

/// Everything that is pinned is in a box of its own.
impl<S: Stream> Unpin for Decisions<S> {}

impl<S: Stream> fmt::Debug for Decisions<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decisions")
            .field("taken", &self.taken)
            .field("waiting", &self.waiting_len)
            .finish_non_exhaustive()
    }
}

impl<S: Stream<Item: AsUrl>> Decisions<S> {
    pub(super) fn new(shared: Arc<Shared>, urls: S) -> Decisions<S> {
        Decisions {
            shared,
            urls: Box::pin(urls),
            has_ended: false,
            taken: 0,
            waiting: HashMap::default(),
            waiting_len: 0,
            attempts: FuturesUnordered::new(),
            found: None,
            found_urls: Vec::new().into_iter(),
            turns: 0,
            max_waiting: MAX_WAITING,
            max_per_site: usize::MAX,
            returned: None,
        }
    }

    /// The number of URLs that may wait for their sites, at least 1. The default is 4,096. In the
    /// order of the input, this is how many URLs may be taken from the input beyond the first that
    /// waits.
    #[must_use]
    pub fn max_waiting(mut self, urls: usize) -> Decisions<S> {
        self.max_waiting = urls.max(1);
        self
    }

    /// The number of URLs that may wait for the same site, at least 1. Any more are returned at
    /// once with [`SieveError::Busy`], for the caller to ask again later. There is no limit by
    /// default: the stream waits when [`Decisions::max_waiting`] is reached.
    #[must_use]
    pub fn max_waiting_per_site(mut self, urls: usize) -> Decisions<S> {
        self.max_per_site = urls.max(1);
        self
    }

    /// The decisions in the order of the input. Decisions wait for those before them; memory is
    /// bounded by [`Decisions::max_waiting`] all the same.
    #[must_use]
    pub fn in_order(self) -> InOrder<S> {
        let decisions = Decisions { returned: Some(0), ..self };
        InOrder { decisions, held: VecDeque::new() }
    }

    /// The number of URLs that are waiting for their sites.
    #[must_use]
    pub fn waiting_len(&self) -> usize {
        self.waiting_len
    }

    fn has_room(&self) -> bool {
        !self.has_ended
            && match self.returned {
                None => self.waiting_len < self.max_waiting,
                Some(returned) => self.taken - returned < self.max_waiting as u64,
            }
    }

    /// Decides on a URL, or sets it aside.
    #[inline]
    fn take(&mut self, url: S::Item) -> Option<Decided<S::Item>> {
        let index = self.taken;
        self.taken += 1;
        match self.shared.at_once(url) {
            Ok(Ok(decision)) => Some(Decided { index, result: Ok(decision) }),
            Ok(Err((url, error))) => Some(undecided(index, url, error)),
            Err(url) => self.take_unknown(index, url),
        }
    }

    /// [`Decisions::take`] for a site that is not in the table.
    #[cold]
    fn take_unknown(&mut self, index: u64, url: S::Item) -> Option<Decided<S::Item>> {
        let shared = &self.shared;
        let origin = match Origin::of(url.as_url()) {
            Ok(origin) => origin,
            Err(cause) => return Some(undecided(index, url, cause.into())),
        };
        if let Some(urls) = self.waiting.get_mut(origin.key()) {
            drop(origin);
            if urls.len() >= self.max_per_site {
                return Some(undecided(index, url, SieveError::Busy));
            }
            count(&shared.sites.counters.waited);
            urls.push((index, url));
            self.waiting_len += 1;
            return None;
        }
        let now = shared.sites.clock.now();
        match shared.look_up(origin.key(), now) {
            Ok(SiteOrAttempt::Site(entry)) => {
                drop(origin);
                Some(decided(index, url, &Ok(Site { entry, now })))
            }
            Ok(SiteOrAttempt::Attempt(attempt)) => {
                let key: Box<str> = origin.key().into();
                let fetched = key.clone();
                self.attempts.push(Box::pin(async move {
                    let site = attempt.outcome().await;
                    (fetched, site.map(|site| EntryRef::from_inner(Some(site))))
                }));
                drop(origin);
                self.waiting.insert(key, vec![(index, url)]);
                self.waiting_len += 1;
                None
            }
            Err(error) => {
                drop(origin);
                Some(undecided(index, url, error))
            }
        }
    }

    /// The decision on the next URL whose site has been fetched.
    fn next_found(&mut self) -> Option<Decided<S::Item>> {
        let site = self.found.as_ref()?;
        let Some((index, url)) = self.found_urls.next() else {
            self.found = None;
            return None;
        };
        self.waiting_len -= 1;
        Some(decided(index, url, site))
    }

    /// Looks for a site that has been fetched. Ready with `false` if nothing is waited for.
    fn poll_found(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        let Some((key, site)) = ready!(self.attempts.poll_next_unpin(cx)) else {
            return Poll::Ready(false);
        };
        let now = self.shared.sites.clock.now();
        let urls = self.waiting.remove(&key).unwrap_or_default();
        self.found = Some(site.map(|entry| Site { entry, now }));
        self.found_urls = urls.into_iter();
        Poll::Ready(true)
    }
}

impl<S: Stream<Item: AsUrl>> Stream for Decisions<S> {
    type Item = Decided<S::Item>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(decided) = this.next_found() {
                return Poll::Ready(Some(decided));
            }
            if this.has_room() {
                this.turns += 1;
                if this.turns.is_multiple_of(TURNS) {
                    if let Poll::Ready(true) = this.poll_found(cx) {
                        continue;
                    }
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                match this.urls.as_mut().poll_next(cx) {
                    Poll::Ready(Some(url)) => match this.take(url) {
                        Some(decided) => return Poll::Ready(Some(decided)),
                        None => continue,
                    },
                    Poll::Ready(None) => this.has_ended = true,
                    Poll::Pending => {}
                }
            }
            match this.poll_found(cx) {
                Poll::Ready(true) => {}
                Poll::Ready(false) if this.has_ended => return Poll::Ready(None),
                Poll::Ready(false) | Poll::Pending => return Poll::Pending,
            }
        }
    }
}

/// A stream of decisions, in the order of the input. Made by [`Decisions::in_order`].
pub struct InOrder<S: Stream> {
    decisions: Decisions<S>,
    /// The decisions that were ready early. The first place is that of the URL to return next.
    held: VecDeque<Option<Decided<S::Item>>>,
}

impl<S: Stream> Unpin for InOrder<S> {}

impl<S: Stream> fmt::Debug for InOrder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InOrder")
            .field("decisions", &self.decisions)
            .field("held", &self.held.len())
            .finish()
    }
}

impl<S: Stream<Item: AsUrl>> Stream for InOrder<S> {
    type Item = Decided<S::Item>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            let returned = this.decisions.returned.unwrap_or_default();
            if let Some(Some(_)) = this.held.front() {
                this.decisions.returned = Some(returned + 1);
                return Poll::Ready(this.held.pop_front().flatten());
            }
            let Some(decided) = ready!(this.decisions.poll_next_unpin(cx)) else {
                return Poll::Ready(None);
            };
            let ahead = (decided.index - returned) as usize;
            if ahead == 0 {
                this.held.pop_front();
                this.decisions.returned = Some(returned + 1);
                return Poll::Ready(Some(decided));
            }
            if this.held.len() <= ahead {
                this.held.resize_with(ahead + 1, || None);
            }
            this.held[ahead] = Some(decided.held());
        }
    }
}

impl<U> Decided<U> {
    /// The same, but it counts its reference to the site: only a few per thread need not.
    fn held(self) -> Decided<U> {
        let result = self.result.map(|decision| {
            let SieveDecision { verdict, url, site: Site { entry, now } } = decision;
            let entry = EntryRef::from_inner(arc_swap::Guard::into_inner(entry));
            SieveDecision { verdict, url, site: Site { entry, now } }
        });
        Decided { result, ..self }
    }
}

/// The decision on a URL of a site.
fn decided<U: AsUrl>(index: u64, url: U, site: &Result<Site, SieveError>) -> Decided<U> {
    match site {
        Ok(Site { entry, now }) => {
            let entry = EntryRef::from_inner(Option::clone(entry));
            let result = SieveDecision::new(Site { entry, now: *now }, url)
                .map_err(|(url, cause)| Undecided { url, error: cause.into() });
            Decided { index, result }
        }
        Err(error) => undecided(index, url, error.clone()),
    }
}

fn undecided<U>(index: u64, url: U, error: SieveError) -> Decided<U> {
    Decided { index, result: Err(Undecided { url, error }) }
}
