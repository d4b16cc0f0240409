//! What may be given as a URL.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

/// A URL, or a path that begins with `/`: text or bytes, and with the feature `url` a
/// [`Url`](url::Url).
///
/// ```
/// use robotsieve::{Crawler, Profile, Robots};
///
/// let policy = Robots::parse(b"User-agent: *\nDisallow: /x", &Profile::RFC9309)
///     .policy(&Crawler::name("bot"));
/// assert!(!policy.is_allowed("https://example.com/x")?);
/// assert!(!policy.is_allowed(b"/x\xFF")?);
/// # #[cfg(feature = "url")]
/// assert!(!policy.is_allowed(&url::Url::parse("https://example.com/x").expect("a URL"))?);
/// # Ok::<(), robotsieve::InvalidUrl>(())
/// ```
pub trait AsUrl {
    /// Its bytes.
    fn as_url(&self) -> &[u8];

    /// The path with all that follows it, if it is known where that begins. It must begin with `/`,
    /// and the URL must not have a `/` before it other than the two before its host.
    ///
    /// Where the origin was found too, the place is known, and need not be searched again.
    #[inline]
    fn known_path(&self) -> Option<&[u8]> {
        None
    }
}

macro_rules! as_bytes {
    ($($type:ty),*) => {$(
        impl AsUrl for $type {
            #[inline]
            fn as_url(&self) -> &[u8] {
                self.as_ref()
            }
        }
    )*};
}

as_bytes!(str, String, [u8], Vec<u8>);

impl<const N: usize> AsUrl for [u8; N] {
    #[inline]
    fn as_url(&self) -> &[u8] {
        self
    }
}

#[cfg(feature = "url")]
impl AsUrl for url::Url {
    #[inline]
    fn as_url(&self) -> &[u8] {
        self.as_str().as_bytes()
    }
}

macro_rules! delegate {
    ($($type:ty),*) => {$(
        impl<T: AsUrl + ?Sized> AsUrl for $type {
            #[inline]
            fn as_url(&self) -> &[u8] {
                (**self).as_url()
            }

            #[inline]
            fn known_path(&self) -> Option<&[u8]> {
                (**self).known_path()
            }
        }
    )*};
}

delegate!(&T, &mut T, Box<T>, Rc<T>, Arc<T>);

impl<T: AsUrl + ToOwned + ?Sized> AsUrl for Cow<'_, T> {
    #[inline]
    fn as_url(&self) -> &[u8] {
        (**self).as_url()
    }
}
