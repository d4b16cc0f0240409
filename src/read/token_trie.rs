//! A trie over product tokens: which of them a name begins with, equals or contains.

/// No node, or no token.
const NONE: u32 = u32::MAX;

const ROOT: u32 = 0;

/// A trie over tokens in lower case.
///
/// Built in `O(bytes)`, asked in one pass over the name, whatever the tokens. (aho-corasick reports
/// each token that ends at a byte of the name, so nested tokens cost it quadratic time.)
#[derive(Debug, Default)]
pub(super) struct TokenTrie {
    /// The root comes first.
    nodes: Vec<Node>,
    /// The root's children by byte, because most searches of a name begin here.
    first: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    byte: u8,
    /// Children are linked in ascending order of their bytes.
    first_child: u32,
    next_sibling: u32,
    /// The token that ends here.
    token: u32,
    /// The node of the longest proper suffix of this node's text that has one.
    suffix: u32,
    /// The lowest number of all tokens that the text of this node ends with.
    lowest: u32,
}

impl Node {
    fn new(byte: u8) -> Node {
        let none = NONE;
        Node {
            byte,
            first_child: none,
            next_sibling: none,
            token: none,
            suffix: ROOT,
            lowest: none,
        }
    }
}

impl TokenTrie {
    /// The tokens must be distinct, in lower case, and sorted by their bytes; each comes with its
    /// number. Only if `substrings` is true may [`TokenTrie::lowest_within`] be asked.
    pub(super) fn new<'t>(
        tokens: impl Iterator<Item = (&'t [u8], u32)>,
        substrings: bool,
    ) -> TokenTrie {
        let mut trie = TokenTrie { nodes: vec![Node::new(0)], first: vec![NONE; 256] };
        let mut previous: &[u8] = &[];
        // The nodes along the previous token, without the root.
        let mut path: Vec<u32> = Vec::new();
        for (token, number) in tokens {
            let shared = previous.iter().zip(token).take_while(|(a, b)| a == b).count();
            let mut sibling = path.get(shared).copied();
            path.truncate(shared);
            for &byte in &token[shared..] {
                let id = trie.nodes.len() as u32;
                trie.nodes.push(Node::new(byte));
                let parent = path.last().copied().unwrap_or(ROOT);
                match sibling.take() {
                    Some(sibling) => trie.nodes[sibling as usize].next_sibling = id,
                    None => trie.nodes[parent as usize].first_child = id,
                }
                if parent == ROOT {
                    trie.first[usize::from(byte)] = id;
                }
                path.push(id);
            }
            let end = path.last().copied().unwrap_or(ROOT);
            trie.nodes[end as usize].token = number;
            previous = token;
        }
        if substrings {
            trie.link_suffixes();
        }
        trie
    }

    /// Links the nodes as Aho and Corasick do, the shallow ones first.
    fn link_suffixes(&mut self) {
        self.nodes[ROOT as usize].lowest = self.nodes[ROOT as usize].token;
        let mut queue = Vec::with_capacity(self.nodes.len());
        queue.push(ROOT);
        let mut at = 0;
        while let Some(&parent) = queue.get(at) {
            at += 1;
            let mut next = self.nodes[parent as usize].first_child;
            while next != NONE {
                let Node { byte, token, next_sibling, .. } = self.nodes[next as usize];
                let suffix = if parent == ROOT {
                    ROOT
                } else {
                    self.longest_suffix(self.nodes[parent as usize].suffix, byte)
                };
                let lowest = token.min(self.nodes[suffix as usize].lowest);
                let node = &mut self.nodes[next as usize];
                (node.suffix, node.lowest) = (suffix, lowest);
                queue.push(next);
                next = next_sibling;
            }
        }
    }

    fn child(&self, node: u32, byte: u8) -> Option<u32> {
        if node == ROOT {
            return Some(self.first[usize::from(byte)]).filter(|child| *child != NONE);
        }
        let mut next = self.nodes[node as usize].first_child;
        while next != NONE {
            let child = &self.nodes[next as usize];
            if child.byte >= byte {
                return (child.byte == byte).then_some(next);
            }
            next = child.next_sibling;
        }
        None
    }

    /// The node of the longest suffix of a node's text and this byte.
    fn longest_suffix(&self, mut node: u32, byte: u8) -> u32 {
        loop {
            match self.child(node, byte) {
                Some(child) => return child,
                None if node == ROOT => return ROOT,
                None => node = self.nodes[node as usize].suffix,
            }
        }
    }

    /// The token that equals the name.
    pub(super) fn equal(&self, name: &[u8]) -> Option<u32> {
        let mut bytes = name.iter();
        let node =
            bytes.try_fold(ROOT, |node, byte| self.child(node, byte.to_ascii_lowercase()))?;
        Some(self.nodes[node as usize].token).filter(|token| *token != NONE)
    }

    /// The longest token that the name begins with.
    pub(super) fn longest_prefix(&self, name: &[u8]) -> Option<u32> {
        let mut node = ROOT;
        let mut longest = self.nodes[ROOT as usize].token;
        for byte in name {
            let Some(child) = self.child(node, byte.to_ascii_lowercase()) else { break };
            node = child;
            let token = self.nodes[node as usize].token;
            longest = if token == NONE { longest } else { token };
        }
        Some(longest).filter(|token| *token != NONE)
    }

    /// The token of the lowest number among those that the name contains.
    pub(super) fn lowest_within(&self, name: &[u8]) -> Option<u32> {
        let mut node = ROOT;
        let mut lowest = self.nodes[ROOT as usize].lowest;
        for byte in name {
            node = self.longest_suffix(node, byte.to_ascii_lowercase());
            lowest = lowest.min(self.nodes[node as usize].lowest);
        }
        Some(lowest).filter(|token| *token != NONE)
    }
}
