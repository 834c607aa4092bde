//! The shareable link: fragment versions, upgraders, packing, redaction.
