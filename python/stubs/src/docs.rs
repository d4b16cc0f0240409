//! The docstrings that are written in Rust.

use std::collections::HashMap;
use std::path::Path;
use std::{fs, io, iter};

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::{Attribute, Expr, Fields, ImplItem, Item, Lit, LitStr, Meta, Type};

/// The docstrings of classes, of their members (`Class.member`) and of functions.
#[derive(Default)]
pub struct Docs {
    docs: HashMap<String, String>,
    /// What `macro_rules` defines: the names of what it takes, and what it makes of that.
    macros: HashMap<Ident, (Vec<Ident>, TokenStream)>,
}

impl Docs {
    /// # Errors
    /// Returns an error if a file cannot be read or is not Rust.
    pub fn of_folder(folder: &Path) -> io::Result<Docs> {
        let mut docs = Docs::default();
        docs.read(folder)?;
        Ok(docs)
    }

    pub fn of(&self, key: &str) -> Option<&str> {
        self.docs.get(key).map(String::as_str)
    }

    fn read(&mut self, folder: &Path) -> io::Result<()> {
        for entry in folder.read_dir()? {
            let path = entry?.path();
            if path.is_dir() {
                self.read(&path)?;
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let file = syn::parse_file(&fs::read_to_string(&path)?);
                self.add_all(&file.map_err(io::Error::other)?.items);
            }
        }
        Ok(())
    }

    fn add_all(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Struct(class) => {
                    let Some(mark) = find(&class.attrs, "pyclass") else { continue };
                    let class_name = class.ident.to_string();
                    if let (Fields::Named(fields), Meta::List(list)) = (&class.fields, &mark.meta)
                        && list.tokens.to_string().contains("get_all")
                    {
                        for field in &fields.named {
                            let name = field.ident.as_ref().map(Ident::unraw);
                            self.add(name.map(|name| format!("{class_name}.{name}")), &field.attrs);
                        }
                    }
                    self.add(Some(class_name), &class.attrs);
                }
                Item::Impl(block) if find(&block.attrs, "pymethods").is_some() => {
                    let Type::Path(class) = &*block.self_ty else { continue };
                    let class = class.path.segments.last().map(|class| &class.ident);
                    for item in &block.items {
                        let ImplItem::Fn(method) = item else { continue };
                        let name = name_of(&method.attrs, &method.sig.ident);
                        self.add(class.map(|class| format!("{class}.{name}")), &method.attrs);
                    }
                }
                Item::Fn(function) if find(&function.attrs, "pyfunction").is_some() => {
                    self.add(Some(function.sig.ident.to_string()), &function.attrs);
                }
                Item::Macro(call) => self.add_macro(call),
                _ => {}
            }
        }
    }

    fn add(&mut self, key: Option<String>, attributes: &[Attribute]) {
        let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Str(text) => Some(text.value()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        });
        let lines: Vec<String> =
            lines.map(|line| line.strip_prefix(' ').unwrap_or(&line).to_owned()).collect();
        let doc = lines.join("\n").trim().to_owned();
        if let (Some(key), false) = (key, doc.is_empty()) {
            self.docs.insert(key, doc);
        }
    }

    /// Notes a macro, or adds what one makes that was noted.
    fn add_macro(&mut self, call: &syn::ItemMacro) {
        let tokens = call.mac.tokens.clone();
        if let Some(name) = &call.ident {
            let mut groups = tokens.into_iter().filter_map(|token| match token {
                TokenTree::Group(group) => Some(group.stream()),
                _ => None,
            });
            if let (Some(taken), Some(made)) = (groups.next(), groups.next()) {
                self.macros.insert(name.clone(), (variables(taken), made));
            }
            return;
        }
        let given: Vec<TokenStream> = split(tokens);
        // `create_exception!(module, Name, Base, "docstring")`
        if let (true, [_, name, _, doc, ..]) =
            (call.mac.path.is_ident("create_exception"), &given[..])
            && let Ok(doc) = syn::parse2::<LitStr>(doc.clone())
        {
            self.docs.insert(name.to_string(), doc.value());
        }
        let known = call.mac.path.get_ident().and_then(|name| self.macros.get(name));
        let Some((names, made)) = known else { return };
        let values: HashMap<&Ident, TokenStream> = names.iter().zip(given).collect();
        if let Ok(file) = syn::parse2::<syn::File>(expanded(made.clone(), &values)) {
            self.add_all(&file.items);
        }
    }
}

fn find<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().find(|attribute| attribute.path().is_ident(name))
}

/// What a method is called in Python.
fn name_of(attributes: &[Attribute], method: &Ident) -> String {
    let method = method.unraw().to_string();
    match find(attributes, "getter").map(|getter| &getter.meta) {
        Some(Meta::List(list)) => list.tokens.to_string().trim_start_matches("r#").to_owned(),
        Some(_) => method.strip_prefix("get_").unwrap_or(&method).to_owned(),
        None => method,
    }
}

/// The names in `$name: ident, $other: literal`.
fn variables(pattern: TokenStream) -> Vec<Ident> {
    let mut after_dollar = false;
    let names = pattern.into_iter().filter_map(|token| {
        let is_name = std::mem::replace(&mut after_dollar, is_punct(&token, '$'));
        match token {
            TokenTree::Ident(name) if is_name => Some(name),
            _ => None,
        }
    });
    names.collect()
}

fn is_punct(token: &TokenTree, punct: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == punct)
}

/// What is between commas.
fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let parts = tokens.split(|token| is_punct(token, ','));
    parts.map(|part| part.iter().cloned().collect()).collect()
}

/// The tokens with values in the places of `$name`.
fn expanded(tokens: TokenStream, values: &HashMap<&Ident, TokenStream>) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let next = iter::from_fn(|| {
        let token = tokens.next()?;
        if is_punct(&token, '$')
            && let Some(TokenTree::Ident(name)) = tokens.peek()
            && let Some(value) = values.get(name)
        {
            tokens.next();
            return Some(value.clone());
        }
        Some(match token {
            TokenTree::Group(group) => {
                let inner = expanded(group.stream(), values);
                TokenTree::Group(Group::new(group.delimiter(), inner)).into()
            }
            token => token.into(),
        })
    });
    next.collect()
}
