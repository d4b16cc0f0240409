//! The rules of X-Robots-Tag and of robots meta tags.

/// A rule of X-Robots-Tag or of a robots meta tag that is about a purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TagRule {
    /// `noindex`, or `none`: not in the index.
    NoIndex,
    /// `nosnippet`, or `max-snippet:0`: no snippet.
    NoSnippet,
    /// `max-snippet`: the most characters of a snippet.
    MaxSnippet(u32),
    /// `unavailable_after`: not in the index after this time, in seconds since 1970.
    UnavailableAfter(i64),
    /// One of these two with a value that cannot be read, so that it is ignored.
    Unreadable,
    /// `noarchive`. Bing: neither in chat answers nor for training.
    NoArchive,
    /// `nocache`. Bing: only address, title and snippet.
    NoCache,
    /// `noai`: not for training.
    NoAi,
    /// `noimageai`: the same for images.
    NoImageAi,
    /// `indexifembedded`. Google: to be indexed as a part of another page, beside `noindex`.
    IndexIfEmbedded,
    /// `index`, or `all`. Only Yandex lets it permit something.
    Index,
}
