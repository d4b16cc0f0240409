//! `Serialize` for rights: the document that reports of rights are.

use std::collections::HashSet;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::note::Notes;
use crate::place::Place;
use crate::purpose::{Purpose, Purposes};
use crate::result::Rights;

impl Serialize for Rights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for purpose in self.purposes() {
            map.serialize_entry(&purpose, &self.ruling(purpose))?;
        }
        map.serialize_entry("by", &ByPurpose { rights: self, list: deciding })?;
        if !self.licences().is_empty() {
            map.serialize_entry("licences", self.licences())?;
        }
        if !self.licensable().is_empty() {
            map.serialize_entry("licensable", &self.licensable())?;
        }
        if self.purposes().any(|purpose| self.conditions(purpose).next().is_some()) {
            map.serialize_entry("conditions", &ByPurpose { rights: self, list: conditions })?;
        }
        if !self.limits().is_empty() {
            map.serialize_entry("limits", &self.limits())?;
        }
        if let Some(ceiling) = self.use_ceiling() {
            map.serialize_entry("use", &ceiling)?;
        }
        if !self.notes().is_empty() {
            map.serialize_entry("notes", &self.notes())?;
        }
        map.end()
    }
}

fn deciding(rights: &Rights, purpose: Purpose) -> Vec<&Place> {
    let mut seen = HashSet::new();
    let places = rights.by(purpose).map(|statement| &statement.place);
    places.filter(|place| seen.insert(*place)).collect()
}

fn conditions(rights: &Rights, purpose: Purpose) -> Vec<&str> {
    rights.conditions(purpose).collect()
}

/// A map from purposes to lists, without those that are empty.
struct ByPurpose<'r, T> {
    rights: &'r Rights,
    list: fn(&'r Rights, Purpose) -> Vec<T>,
}

impl<T: Serialize> Serialize for ByPurpose<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lists =
            self.rights.purposes().map(|purpose| (purpose, (self.list)(self.rights, purpose)));
        serializer.collect_map(lists.filter(|(_, list)| !list.is_empty()))
    }
}

impl Serialize for Purposes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl Serialize for Notes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
