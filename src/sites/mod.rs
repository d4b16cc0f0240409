//! The policies of many origins (feature `url`).
//!
//! | module | what |
//! |---|---|
//! | `layout` | index, entries, records: the layout that sets and packs share |
//! | `compiled` | a file → the bytes of its policies |
//! | `pace` | the pace of a policy as bytes |
//! | `kind` | what may be known of a site |
//! | `lines` | the index of a set, which grows |
//! | `look_up` | many URLs → answers, with the memory of each step fetched ahead |
//! | `policy` | the policy of one crawler for one site, wherever it is kept |
//! | `set` | the policies of many origins in memory |
//!
//! The module [`pack`](crate::pack) has them in a file.

pub(crate) mod compiled;
pub(crate) mod kind;
pub(crate) mod layout;
mod lines;
pub(crate) mod look_up;
pub(crate) mod pace;
pub(crate) mod policy;
pub(crate) mod set;
