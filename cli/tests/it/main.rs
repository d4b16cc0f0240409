//! Runs the command as users do. One test program, with a module for each subject.

#[macro_use]
mod command;
mod compose;

#[cfg(unix)]
mod action;
mod answers;
mod archive_verdicts;
mod audit;
mod block;
mod check;
mod crawlers;
mod diff;
mod diff_review;
mod docs_links;
mod docs_output;
mod dot;
#[cfg(unix)]
mod enforce;
mod errors;
mod explain;
mod explain_store;
#[cfg(unix)]
mod faults;
mod fetch;
mod filter_hosts;
mod filter_input;
mod filter_output;
mod help;
mod hostile;
mod lint;
mod lint_fix;
mod live;
mod names;
mod outputs;
mod pack;
mod pack_merge;
mod pack_shards;
#[cfg(unix)]
mod pack_soak;
mod pack_sources;
mod pack_update;
mod page;
mod progress;
mod records;
mod replay;
mod rights;
mod rights_archives;
mod run;
mod sitemap;
mod stdin;
mod store_broken;
mod store_warc;
mod test;
mod vocabulary;
mod web;
