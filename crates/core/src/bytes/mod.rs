//! From any bytes to recordings: sniffing, gzip, zip, tar, bundles, text encodings, limits.
