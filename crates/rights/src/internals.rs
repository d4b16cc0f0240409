//! For robotsieve's own crates only: this module may change in any version.

pub use crate::content_signals::{Signal, SignalPiece, pieces};
pub use crate::content_usage::{UsageMember, read_members};
pub use crate::documents::{TDM_PATH, normal, origin_of_tdm};
pub use crate::encoding::is_xml;
/// The elements of a page that state rights.
pub mod html {
    pub use crate::html::PageElement;
    use crate::page::read_page;
    use crate::response::Response;

    /// Calls `found` for the elements of the page of a response.
    pub fn read_page_of(response: &Response, page: &[u8], found: &mut dyn FnMut(PageElement<'_>)) {
        read_page(response.markup(), page, found);
    }
}
pub use crate::media::begins_as_media;
pub use crate::paths::Paths;
pub use crate::quotation::quotation;
pub use crate::robots::lines::{RightsField, RightsLine, RightsLines};
