//! The attribute `#[corpus::test]` of tests that need the corpus of real robots.txt files.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// A test that needs the corpus.
///
/// Where the corpus is missing, it prints a line that says so, and passes. It looks when it runs, so one built
/// program serves both cases. The package needs the dependency `robotsieve-corpora`, which knows the folder.
#[proc_macro_attribute]
pub fn corpus_test(_arguments: TokenStream, function: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = function.into_iter().collect();
    let Some(TokenTree::Group(body)) = tokens.pop() else { panic!("a function has a body") };
    let name = tokens.windows(2).find(|pair| pair[0].to_string() == "fn").expect("a function")[1]
        .to_string();
    let look = format!(
        "if ::robotsieve_corpora::shared::is_missing(concat!(module_path!(), \"::{name}\")) {{ return; }}"
    );
    let mut guarded: TokenStream = look.parse().expect("a statement");
    guarded.extend(body.stream());
    let mut test: TokenStream = "#[test]".parse().expect("an attribute");
    test.extend(tokens);
    test.extend([TokenTree::Group(Group::new(Delimiter::Brace, guarded))]);
    test
}
