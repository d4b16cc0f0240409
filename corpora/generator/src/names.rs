//! The names of hosts and crawlers.

/// The name of host number `host`, e.g. `host-17.example`.
///
/// ```
/// assert_eq!(robotsieve_corpora::host_name(17), "host-17.example");
/// ```
pub fn host_name(host: u64) -> String {
    format!("host-{host}.example")
}

/// Crawlers that collect text for language models.
pub(crate) const MODEL_CRAWLERS: &[&str] = &[
    "GPTBot",
    "CCBot",
    "ClaudeBot",
    "Google-Extended",
    "PerplexityBot",
    "Bytespider",
    "Amazonbot",
    "meta-externalagent",
    "Applebot-Extended",
    "ChatGPT-User",
    "anthropic-ai",
    "cohere-ai",
];
