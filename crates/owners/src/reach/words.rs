//! The report in words.

use robotsieve_known::{KnownCrawlers, Purpose};
use robotsieve_report::tally::TallyReport;
use robotsieve_report::{Sentence, shown_text};
use robotsieve_shown::{first_of, grouped, shortened, urls};

use super::document::{
    ReachAnswer, ReachBy, ReachCrawler, ReachPath, ReachPolicy, ReachPurpose, ReachReport,
    ReachRow, Reads, SitemapCounts,
};
use super::judge::is_for_all;

/// The number of rules that are named.
const RULES: usize = 4;

/// How much of a rule is shown, in characters.
const RULE_CHARS: usize = 60;

/// The number of crawlers the line of a purpose names.
const NAMES: usize = 8;

impl ReachReport {
    /// Fills in all that follows from the verdicts.
    pub(super) fn put_into_words(&mut self) {
        for policy in &mut self.policies {
            policy.text = policy.text_with(str::to_owned);
            policy.sitemap_text = policy.sitemap_text_with(str::to_owned);
        }
        let all = Purpose::all().map(|purpose| self.of_purpose(purpose));
        self.purposes = all.filter(|of| of.crawlers > 0).collect();
        self.sentences = self.all_sentences();
    }

    fn all_sentences(&self) -> Vec<Sentence> {
        let mut sentences = Vec::new();
        sentences.extend(self.sitemap.iter().flat_map(|urls| urls.sentences.iter().cloned()));
        for of in &self.purposes {
            let text = format!("{}: {}", of.title, of.summary);
            sentences.push(Sentence::new(text, None));
            for row in &of.rows {
                let policy = &self.policies[row.policy];
                let mut text = format!("{}: {}", row.who.join(", "), policy.text);
                if let Some(sitemap) = &policy.sitemap_text {
                    text += &format!("; sitemap: {sitemap}");
                }
                let named = row.crawlers.iter().find_map(|one| self.crawlers[*one].lines.first());
                sentences.push(Sentence::new(text, named.copied()));
            }
        }
        sentences.extend(self.notes.iter().map(|note| Sentence::new(note.clone(), None)));
        sentences
    }

    fn of_purpose(&self, purpose: Purpose) -> ReachPurpose {
        let of_it = |number: &usize| self.crawlers[*number].purpose == purpose;
        let numbers: Vec<usize> = (0..self.crawlers.len()).filter(of_it).collect();
        let policy_of = |number: &usize| &self.policies[self.crawlers[*number].policy];
        let count =
            |reads: Reads| numbers.iter().filter(|number| policy_of(number).reads == reads).count();
        let mut sitemap = self.sitemap.as_ref().map(|_| SitemapCounts::default());
        if let Some(counts) = &mut sitemap {
            for tally in numbers.iter().filter_map(|number| policy_of(number).sitemap.as_ref()) {
                *match (tally.allowed, tally.disallowed) {
                    (_, 0) => &mut counts.all,
                    (0, _) => &mut counts.none,
                    _ => &mut counts.part,
                } += 1;
            }
        }
        let mut of = ReachPurpose {
            purpose,
            title: purpose.title(),
            crawlers: numbers.len(),
            shut_out: count(Reads::Nothing),
            partly: count(Reads::Partly),
            let_in: count(Reads::Everything),
            unproven: count(Reads::Unproven),
            sitemap,
            summary: String::new(),
            rows: self.rows(&numbers),
        };
        of.summary = self.summary(&of, &numbers);
        of
    }

    /// The crawlers of a purpose that may read the same, those that may read least first.
    fn rows(&self, numbers: &[usize]) -> Vec<ReachRow> {
        let mut rows: Vec<(usize, Vec<usize>)> = Vec::new();
        for &number in numbers {
            let own = self.crawlers[number].policy;
            match rows.iter_mut().find(|(policy, _)| self.is_same(*policy, own)) {
                Some((_, row)) => row.push(number),
                None => rows.push((own, vec![number])),
            }
        }
        rows.sort_by_key(|(policy, _)| self.policies[*policy].reads);
        let row = |(policy, row): (usize, Vec<usize>)| ReachRow {
            policy,
            who: self.who(&row),
            crawlers: row,
        };
        rows.into_iter().map(row).collect()
    }

    /// `3 of 32 shut out, 28 partly, 1 let in: Foo`.
    fn summary(&self, of: &ReachPurpose, numbers: &[usize]) -> String {
        let ReachPurpose { crawlers, shut_out, partly, let_in, unproven, .. } = of;
        let mut line = format!("{shut_out} of {crawlers} shut out, {partly} partly");
        if *unproven > 0 {
            line += &format!(", {unproven} not proven");
        }
        line += &format!(", {let_in} let in");
        if (1..=NAMES).contains(let_in) {
            let of_it = numbers.iter().map(|number| &self.crawlers[*number]);
            let is_in = |one: &&ReachCrawler| self.policies[one.policy].reads == Reads::Everything;
            let names: Vec<&str> = of_it.filter(is_in).map(|one| one.name.as_str()).collect();
            line += &format!(": {}", names.join(", "));
        }
        if let (Some(SitemapCounts { none, part, all }), Some(sitemap)) =
            (&of.sitemap, &self.sitemap)
        {
            line += &format!(
                "; sitemap: {all} may read all of its {}, {part} a part, {none} none",
                urls(sitemap.judged)
            );
        }
        line
    }

    /// The crawlers of a row, by name: first those that the file names, then the others, of each the
    /// famous ones first.
    fn who(&self, row: &[usize]) -> Vec<String> {
        let mut row: Vec<&ReachCrawler> =
            row.iter().map(|number| &self.crawlers[*number]).collect();
        // In alphabetical order where they are as famous.
        row.sort_by_key(|one| KnownCrawlers::place(&one.token));
        let mut words = Vec::new();
        for crawler in row.iter().filter(|one| one.by == ReachBy::Named) {
            words.push(format!("{} ({})", crawler.name, lines(&crawler.lines)));
        }
        let answer = self.answer.as_deref().unwrap_or_default();
        let whys = [
            (ReachBy::Everybody, "by the group of *", "by the group of *"),
            (ReachBy::None, "no group is for them", "no group is for it"),
            (
                ReachBy::IgnoresStar,
                "no group names them, and they ignore that of *",
                "no group names it, and it ignores that of *",
            ),
            (ReachBy::Answer, answer, answer),
        ];
        for (by, of_many, of_one) in whys {
            let of_it = row.iter().filter(|one| one.by == by);
            let names: Vec<&str> = of_it.map(|one| one.name.as_str()).collect();
            let why = if names.len() == 1 { of_one } else { of_many };
            if !names.is_empty() {
                words.push(format!("{} ({why})", names.join(", ")));
            }
        }
        words
    }

    /// The different answers, those that let in least first: each with the crawlers of all purposes
    /// that may read so much.
    #[must_use]
    pub fn answers(&self) -> Vec<ReachAnswer<'_>> {
        let mut answers: Vec<ReachAnswer<'_>> = Vec::new();
        for (of, row) in
            self.purposes.iter().flat_map(|of| of.rows.iter().map(move |row| (of, row)))
        {
            match answers.iter_mut().find(|answer| self.is_same(answer.policy, row.policy)) {
                Some(answer) => answer.rows.push((of, row)),
                None => answers.push(ReachAnswer { policy: row.policy, rows: vec![(of, row)] }),
            }
        }
        answers.sort_by_key(|answer| self.policies[answer.policy].reads);
        answers
    }

    /// Returns true if two policies let read the same: rules with the same effect are of no interest
    /// if that is all or nothing.
    fn is_same(&self, one: usize, other: usize) -> bool {
        let reads = self.policies[one].reads;
        match reads {
            Reads::Nothing | Reads::Everything => self.policies[other].reads == reads,
            // In two profiles the same rules can be found to let the same be read.
            Reads::Partly | Reads::Unproven => {
                one == other || self.policies[one] == self.policies[other]
            }
        }
    }
}

impl ReachPolicy {
    /// The part that may be read, as in the member `text`; `rule` shows the text of a rule.
    #[must_use]
    pub fn text_with(&self, rule: impl Fn(&str) -> String) -> String {
        let unproven = |text: String| match &self.unproven {
            Some(why) => format!("{text}; other rules may count too ({why})"),
            None => text,
        };
        match self.reads {
            Reads::Nothing => "nothing".to_owned(),
            Reads::Everything => "everything".to_owned(),
            Reads::Partly if self.is_closed_but() => {
                unproven(format!("nothing but {}", rules(&self.allowed, self.more_allowed, rule)))
            }
            Reads::Partly => {
                unproven(format!("all but {}", rules(&self.forbidden, self.more_forbidden, rule)))
            }
            Reads::Unproven => {
                let why = self.unproven.as_deref().unwrap_or("the comparison ended early");
                format!("not proven: {why}")
            }
        }
    }

    /// Returns true if a rule forbids every path, so that only what rules allow is allowed.
    fn is_closed_but(&self) -> bool {
        let mut rules = self.forbidden.iter().filter_map(|path| path.rule.as_ref());
        rules.any(|rule| is_for_all(rule.as_bytes()))
            && self.allowed.iter().all(|path| path.rule.is_some())
    }

    /// The part of the sitemap that may be read, as in the member `sitemap_text`; `rule` shows the text
    /// of a rule.
    #[must_use]
    pub fn sitemap_text_with(&self, rule: impl Fn(&str) -> String) -> Option<String> {
        let TallyReport { allowed, disallowed, by, .. } = self.sitemap.as_ref()?;
        let all = allowed + disallowed;
        Some(match (*allowed, *disallowed) {
            (_, 0) => format!("all {}", grouped(all)),
            (0, _) => format!("none of {}", grouped(all)),
            (allowed, _) => {
                let rules: Vec<String> = by
                    .iter()
                    .map(|by| format!("{} ({})", by.shown_as(&rule), grouped(by.urls)))
                    .collect();
                let rules = first_of(RULES, rules.into_iter());
                format!("{} of {}; forbidden by {rules}", grouped(allowed), grouped(all))
            }
        })
    }
}

/// `/a (line 3), /b (line 5) and 2 more rules`.
fn rules(paths: &[ReachPath], more: usize, show: impl Fn(&str) -> String) -> String {
    let rules = || paths.iter().filter_map(|path| Some((path, path.rule.as_ref()?, path.line?)));
    let named = |(path, rule, line): (&ReachPath, &String, u32)| {
        let rule = shown_text(rule, path.rule_base64.as_deref());
        format!("{} (line {line})", show(&shortened(&rule, RULE_CHARS)))
    };
    let mut named: Vec<String> = rules().take(RULES).map(named).collect();
    let rest = rules().count() - named.len() + more;
    // The search stops counting after a while.
    let least = if more > 0 { "at least " } else { "" };
    let last = match rest {
        0 => named.pop(),
        1 => Some(format!("{least}1 more rule")),
        n => Some(format!("{least}{n} more rules")),
    };
    match last {
        Some(last) if named.is_empty() => last,
        Some(last) => format!("{} and {last}", named.join(", ")),
        None => String::new(),
    }
}

fn lines(lines: &[u32]) -> String {
    let numbers = lines.iter().take(3).map(u32::to_string).collect::<Vec<_>>().join(", ");
    let more = if lines.len() > 3 { ", …" } else { "" };
    format!("line{} {numbers}{more}", if lines.len() == 1 { "" } else { "s" })
}
