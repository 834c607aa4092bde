//! Makers of archives, honest and dishonest, for the tests of `bytes`, `artifact` and `link`.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;

/// A file of the corpus.
pub fn corpus(path: &str) -> Vec<u8> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/eigs").join(path);
    std::fs::read(&root).unwrap_or_else(|error| panic!("{}: {error}", root.display()))
}

/// Numbers that look random and are the same in every run.
pub fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 24) as u8
        })
        .collect()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// `count` times `block`, as one deflate stream that is made without making its content: a bomb of any size.
pub fn deflate_repeated(block: &[u8], count: usize) -> Vec<u8> {
    let mut compress = flate2::Compress::new(Compression::best(), false);
    let mut piece = Vec::with_capacity(block.len() + 1024);
    // A full flush ends on a byte and forgets what was before, so the piece can be repeated as it is.
    compress.compress_vec(block, &mut piece, flate2::FlushCompress::Full).unwrap();
    assert_eq!(compress.total_in(), block.len() as u64);
    let mut out = piece.repeat(count);
    // A last, empty stored block.
    out.extend([1, 0, 0, 0xff, 0xff]);
    out
}

/// A gzip file around a raw deflate stream, with a trailer of zeros (the CRC of a bomb is never reached).
pub fn gzip_around(deflated: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    out.extend(deflated);
    out.extend([0; 8]);
    out
}

pub fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// One entry of a zip, with everything that can be said wrongly about it.
#[derive(Clone)]
pub struct ZipFile {
    pub name: Vec<u8>,
    pub method: u16,
    pub flags: u16,
    pub data: Vec<u8>,
    pub size: u32,
    pub crc: u32,
    pub mode: u32,
}

impl ZipFile {
    pub fn stored(name: impl AsRef<[u8]>, content: &[u8]) -> Self {
        Self {
            name: name.as_ref().to_vec(),
            method: 0,
            flags: 0,
            data: content.to_vec(),
            size: content.len() as u32,
            crc: crc(content),
            mode: 0,
        }
    }

    pub fn deflated(name: impl AsRef<[u8]>, content: &[u8]) -> Self {
        Self { method: 8, data: deflate(content), ..Self::stored(name, content) }
    }
}

/// Where the offsets of a zip count from, and what surrounds it.
#[derive(Default)]
pub struct ZipShape {
    /// Bytes before the archive.
    pub leading: Vec<u8>,
    /// Whether the offsets count the leading bytes.
    pub offsets_count_leading: bool,
    /// Bytes behind the archive.
    pub trailing: Vec<u8>,
    pub comment: Vec<u8>,
    pub zip64: bool,
    /// Sizes and CRC in a data descriptor behind the data, zeros in the local header, as streaming writers do.
    pub descriptors: bool,
    /// Added to the number of entries that the end states.
    pub count_lie: u16,
}

pub fn zip(files: &[ZipFile]) -> Vec<u8> {
    zip_shaped(files, &ZipShape::default())
}

pub fn zip_shaped(files: &[ZipFile], shape: &ZipShape) -> Vec<u8> {
    let base = if shape.offsets_count_leading { shape.leading.len() } else { 0 };
    let mut body = Vec::new();
    let mut directory = Vec::new();
    for file in files {
        let offset = (body.len() + base) as u32;
        let flags = file.flags | if shape.descriptors { 8 } else { 0 };
        let (len, size, crc) = (file.data.len() as u32, file.size, file.crc);
        let (local_crc, local_len, local_size) = if shape.descriptors { (0, 0, 0) } else { (crc, len, size) };
        let common = |out: &mut Vec<u8>, crc: u32, len: u32, size: u32, extra: u16| {
            out.extend(flags.to_le_bytes());
            out.extend(file.method.to_le_bytes());
            out.extend([0; 4]);
            out.extend(crc.to_le_bytes());
            out.extend(len.to_le_bytes());
            out.extend(size.to_le_bytes());
            out.extend((file.name.len() as u16).to_le_bytes());
            out.extend(extra.to_le_bytes());
        };
        body.extend(b"PK\x03\x04\x14\0");
        common(&mut body, local_crc, local_len, local_size, 0);
        body.extend(&file.name);
        body.extend(&file.data);
        if shape.descriptors {
            body.extend(b"PK\x07\x08");
            body.extend(crc.to_le_bytes());
            body.extend(len.to_le_bytes());
            body.extend(size.to_le_bytes());
        }
        directory.extend(b"PK\x01\x02\x14\x03\x14\0");
        if shape.zip64 {
            common(&mut directory, crc, u32::MAX, u32::MAX, 28);
        } else {
            common(&mut directory, crc, len, size, 0);
        }
        directory.extend([0; 6]);
        directory.extend((file.mode << 16).to_le_bytes());
        directory.extend(if shape.zip64 { u32::MAX } else { offset }.to_le_bytes());
        directory.extend(&file.name);
        if shape.zip64 {
            directory.extend([1, 0, 24, 0]);
            directory.extend(u64::from(size).to_le_bytes());
            directory.extend(u64::from(len).to_le_bytes());
            directory.extend(u64::from(offset).to_le_bytes());
        }
    }
    let start = body.len() + base;
    let size = directory.len();
    let mut out = shape.leading.clone();
    out.extend(body);
    out.extend(directory);
    if shape.zip64 {
        let end64 = out.len() - if shape.offsets_count_leading { 0 } else { shape.leading.len() };
        out.extend(b"PK\x06\x06");
        out.extend(44u64.to_le_bytes());
        out.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        out.extend((files.len() as u64).to_le_bytes());
        out.extend((files.len() as u64).to_le_bytes());
        out.extend((size as u64).to_le_bytes());
        out.extend((start as u64).to_le_bytes());
        out.extend(b"PK\x06\x07\0\0\0\0");
        out.extend((end64 as u64).to_le_bytes());
        out.extend(1u32.to_le_bytes());
    }
    let count = (files.len() as u16).wrapping_add(shape.count_lie);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(if shape.zip64 { u16::MAX } else { count }.to_le_bytes());
    out.extend(if shape.zip64 { u16::MAX } else { count }.to_le_bytes());
    out.extend(if shape.zip64 { u32::MAX } else { size as u32 }.to_le_bytes());
    out.extend(if shape.zip64 { u32::MAX } else { start as u32 }.to_le_bytes());
    out.extend((shape.comment.len() as u16).to_le_bytes());
    out.extend(&shape.comment);
    out.extend(&shape.trailing);
    out
}

/// A tar of plain files, by the crate's own writer (GNU long names where needed).
pub fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

/// An EigenScript bundle of format 2 behind `runtime`.
pub fn bundle(runtime: &[u8], files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = runtime.to_vec();
    out.extend(b"\x7fEIGS-BUNDLE-ARCHIVE-v2\0");
    for (name, content) in files {
        out.extend((name.len() as u32).to_le_bytes());
        out.extend(name.as_bytes());
        out.extend((content.len() as u64).to_le_bytes());
        out.extend(*content);
    }
    out.extend((runtime.len() as u64).to_le_bytes());
    out.extend((files.len() as u32).to_le_bytes());
    out.extend(2u32.to_le_bytes());
    out.extend(b"EIGSBNDL");
    out
}
