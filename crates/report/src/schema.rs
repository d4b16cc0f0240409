//! The JSON Schema of the library's own types in documents: their names, as serde writes them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Defines a type that stands for one of the library's in schemas, by all of its values.
macro_rules! of_library {
    ($name:ident, $description:literal, $type:ty, $($value:path),+) => {
        #[doc = $description]
        pub enum $name {}

        // Does not compile if a value is missing.
        const _: fn(&$type) = |value| match value { $($value => {})+ };

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let values = [$(serde_json::to_value($value).unwrap_or_default()),+];
                json_schema!({ "description": $description, "type": "string", "enum": values })
            }
        }
    };
}

of_library!(
    Certainty,
    "The certainty that a word of a header names the crawler: `compatible` if it follows that word, as in \
     `Mozilla/5.0 (compatible; FooBot/1.0)`; `product` if it has a version (`FooBot/1.0`) or begins the header; \
     `word` if it stands somewhere else.",
    robotsieve::Certainty,
    robotsieve::Certainty::Compatible,
    robotsieve::Certainty::Product,
    robotsieve::Certainty::Word
);

of_library!(
    GroupChoice,
    "The groups that apply to a crawler: those that name it, those for everybody (`*`), or none, so that \
     everything is allowed.",
    robotsieve::explain::GroupChoice,
    robotsieve::explain::GroupChoice::Named,
    robotsieve::explain::GroupChoice::Everybody,
    robotsieve::explain::GroupChoice::None
);

of_library!(
    Kind,
    "The kind of record that a field makes; `unknown` is any other field.",
    robotsieve::records::Kind,
    robotsieve::records::Kind::Sitemap,
    robotsieve::records::Kind::CrawlDelay,
    robotsieve::records::Kind::RequestRate,
    robotsieve::records::Kind::VisitTime,
    robotsieve::records::Kind::Host,
    robotsieve::records::Kind::CleanParam,
    robotsieve::records::Kind::License,
    robotsieve::records::Kind::NoIndex,
    robotsieve::records::Kind::ContentSignal,
    robotsieve::records::Kind::ContentUsage,
    robotsieve::records::Kind::Unknown
);

of_library!(
    PieceKind,
    "The kind of a `Piece`: bytes that match themselves, once normalised; one or more stars in a row, which \
     match any bytes; or the `$` that matches the end of the target.",
    robotsieve::explain::PieceKind,
    robotsieve::explain::PieceKind::Literal,
    robotsieve::explain::PieceKind::Star,
    robotsieve::explain::PieceKind::End
);

of_library!(
    Standing,
    "What became of a user-agent line when a crawler's groups were chosen: `chosen` if its group applies because \
     of it, `in-chosen-group` if because of another line; `unrelated` if it names others or nobody, or is found \
     only by a name after the 64th; `everybody-else` if it is for everybody, but another group names the crawler; \
     `later-name` if an earlier one of the crawler's names has a group; `shorter-token` if a longer token is a \
     prefix of the crawler's name, too; `further-down` if only an earlier line counts.",
    robotsieve::explain::Standing,
    robotsieve::explain::Standing::Chosen,
    robotsieve::explain::Standing::InChosenGroup,
    robotsieve::explain::Standing::Unrelated,
    robotsieve::explain::Standing::EverybodyElse,
    robotsieve::explain::Standing::LaterName,
    robotsieve::explain::Standing::ShorterToken,
    robotsieve::explain::Standing::FurtherDown
);

of_library!(
    Verdict,
    "The verdict of a robots.txt: whether a crawler may fetch a URL.",
    robotsieve::Verdict,
    robotsieve::Verdict::Allow,
    robotsieve::Verdict::Disallow
);
