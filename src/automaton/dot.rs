//! A picture of the table, as Graphviz DOT.
