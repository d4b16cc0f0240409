//! What a pack keeps of an origin, in the place of its robots.txt.

/// In the place of a kind: the origin is no longer in the pack.
pub(super) const FORGOTTEN: u8 = 4;

/// When what a pack has for an origin was captured, in seconds since the UNIX epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CaptureTimes {
    /// The time, as far as it is told; 0 if not.
    pub captured: u64,
    /// True if it was not then, but at an unknown time after that: it replaced what was captured then.
    pub is_later: bool,
    /// If the outcome rests on two answers, such as a file and a failure after it, the time of the other
    /// one, which may be the earlier or the later; else 0.
    pub other: u64,
}

impl CaptureTimes {
    /// At this time.
    pub fn at(captured: u64) -> CaptureTimes {
        CaptureTimes { captured, ..CaptureTimes::default() }
    }
}

/// Where a writer has put the policies of a file. Means something to that writer only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Written {
    pub(super) policies: u32,
    pub(super) about: u32,
}

impl Written {
    pub(super) const NOTHING: Written = Written { policies: 0, about: 0 };

    /// Eight bytes, to keep it elsewhere until the origin is added.
    pub fn to_bytes(self) -> [u8; 8] {
        (u64::from(self.about) << 32 | u64::from(self.policies)).to_le_bytes()
    }

    /// What [`Written::to_bytes`] was made of.
    pub fn from_bytes(bytes: [u8; 8]) -> Written {
        let both = u64::from_le_bytes(bytes);
        Written { policies: both as u32, about: (both >> 32) as u32 }
    }
}
