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
        let [policies, about] = [self.policies, self.about].map(u32::to_le_bytes);
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&policies);
        bytes[4..].copy_from_slice(&about);
        bytes
    }

    /// What [`Written::to_bytes`] was made of.
    pub fn from_bytes(bytes: [u8; 8]) -> Written {
        let [p0, p1, p2, p3, a0, a1, a2, a3] = bytes;
        Written {
            policies: u32::from_le_bytes([p0, p1, p2, p3]),
            about: u32::from_le_bytes([a0, a1, a2, a3]),
        }
    }
}
