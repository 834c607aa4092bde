//! What both formats share: positions, issues, the protocol between page and reader.
