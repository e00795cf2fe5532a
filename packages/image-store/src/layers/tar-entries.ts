import { errorMessage } from '@nodeagent/api';
// @ts-expect-error: tar-stream has no types; that below is of what this package uses.
import * as tarHeaders from 'tar-stream/headers.js';
import { decodeFileName } from './file-name.js';
import { unsafeLayer } from './layer-path.js';
import { decodePaxRecords, type PaxRecord } from './pax-records.js';
import { checkSparseMap, oldSparsePieces, paxSparsePieces, piecesOf, type SparseMap, type SparsePiece } from './sparse-map.js';
import { blockSize, numberAt, padded, sizeOf } from './tar-numbers.js';

/** An entry of a layer's archive. */
export interface TarEntry {
  /** The block of its header. */
  header: Buffer;
  /** The type: `0` file, `1` hard link, `2` link, `3` and `4` devices, `5` folder, `6` FIFO. */
  type: string;
  name: string;
  linkName: string;
  /** Of its extended header, those of owner, time and attributes. */
  records: PaxRecord[];
  /** Bytes of content in the archive, without padding and without the map of a sparse file. */
  size: number;
  /** Of a sparse file, in whichever format. Its pieces have as much data as the content. */
  sparse?: SparseMap;
  /** The content with its padding. What is not read is skipped. */
  content(): AsyncGenerator<Buffer>;
}

interface TarHeader {
  size: number;
}

const { decode } = tarHeaders as { decode(block: Buffer, encoding: string, allowUnknownFormat: boolean): TarHeader | null };

/** Largest extended header, name or map of a sparse file. Go's reader has the same limit. */
const maxSpecialBytes = 1 << 20;
const keptOfPax = /^(uid|gid|mtime|SCHILY\.xattr\.(user\.(?!overlay\.)|security\.|system\.).+)$/;

/**
 * The entries of an archive in the formats of tar(1): POSIX with extended headers, GNU, the old ones. tar-stream reads the headers. Throws `UnsafeLayer` for an archive
 * that is cut off or malformed. Reads the chunks to their end, whatever follows the archive.
 */
export async function* readTarEntries(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(chunks);
  let special = new SpecialHeaders();
  for (;;) {
    const block = await reader.block();
    if (block === undefined) break;
    const header = decodeHeader(block);
    if (header === null) {
      const second = await reader.block();
      if (second !== undefined && decodeHeader(second) !== null) throw unsafeLayer('', 'follows a block of zeros');
      break;
    }
    const type = String.fromCharCode(block[156] || 0x30);
    if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
      special.add(type, await reader.special(header.size));
      continue;
    }
    const entry = await readEntry(block, header, special, reader);
    const end = reader.offset + entry.size;
    yield entry;
    await reader.skip(end - reader.offset);
    await reader.skipPadding(padded(entry.size) - entry.size);
    special = new SpecialHeaders();
  }
  await reader.drain();
}

/** What the special entries before an entry override of it. */
class SpecialHeaders {
  /** Of the extended header, all of them. */
  records: PaxRecord[] = [];
  name: string | undefined;
  linkName: string | undefined;

  add(type: 'x' | 'g' | 'L' | 'K', content: Buffer): void {
    const end = content.indexOf(0);
    const text = () => decodeFileName(end < 0 ? content : content.subarray(0, end));
    if (type === 'L') this.name = text();
    else if (type === 'K') this.linkName = text();
    else if (type === 'x') this.#addRecords(decodePaxRecords(content));
    // Global headers are of no meaning in layers: containerd ignores them, too.
  }

  #addRecords(records: PaxRecord[] | undefined): void {
    if (records === undefined) throw unsafeLayer(this.name ?? '', 'has a malformed extended header');
    this.records = records;
    const name = this.#last('GNU.sparse.name') ?? this.#last('path');
    const linkName = this.#last('linkpath');
    if (name !== undefined) this.name = decodeFileName(name);
    if (linkName !== undefined) this.linkName = decodeFileName(linkName);
  }

  #last(key: string): Buffer | undefined {
    return this.records.findLast((record) => record.key === key)?.value;
  }

  number(key: string): number | undefined {
    const text = this.#last(key)?.toString('latin1');
    return text === undefined ? undefined : sizeOf(text);
  }
}

async function readEntry(block: Buffer, header: TarHeader, special: SpecialHeaders, reader: ByteReader): Promise<TarEntry> {
  const flag = String.fromCharCode(block[156] || 0x30);
  const name = special.name ?? nameOf(block);
  const type = flag === '0' && name.endsWith('/') ? '5' : flag === '7' || flag === 'S' ? '0' : flag;
  const stored = type === '0' ? (special.number('size') ?? sizeOf(header.size)) : 0;
  const start = reader.offset;
  const sparse =
    flag === 'S' ? await readOldMap(name, block, reader) : type === '0' ? await readPaxMap(name, special, stored, reader) : undefined;
  // Only a map of PAX counts as content.
  const size = flag === 'S' ? stored : Math.max(stored - (reader.offset - start), 0);
  if (sparse !== undefined) checkSparseMap(name, sparse, size);
  return {
    header: block,
    type,
    name,
    linkName: special.linkName ?? decodeFileName(untilZero(block.subarray(157, 257))),
    records: special.records.filter(({ key }) => keptOfPax.test(key)),
    size,
    ...(sparse && { sparse }),
    content: async function* () {
      yield* reader.pass(size);
      yield Buffer.alloc(padded(size) - size);
    },
  };
}

/** The map of an old sparse file of GNU tar. Extension blocks follow as long as the flag at their end is set. */
async function readOldMap(name: string, header: Buffer, reader: ByteReader): Promise<SparseMap> {
  if (header.toString('latin1', 257, 265) !== 'ustar  \0') throw unsafeLayer(name, 'is a sparse file in a format that has none');
  const pieces = oldSparsePieces(header, 386, 4);
  const end = reader.offset + maxSpecialBytes;
  for (let isExtended = header[482] === 1; isExtended; ) {
    const block = await reader.block();
    if (block === undefined || reader.offset > end) throw unsafeLayer(name, 'has a malformed sparse map');
    for (const piece of oldSparsePieces(block, 0, 21)) pieces.push(piece);
    isExtended = block[504] === 1;
  }
  return { pieces, fileSize: numberAt(header, 483, 12) };
}

/** The map of a sparse file of GNU tar's formats for extended headers; undefined for another file. */
async function readPaxMap(name: string, special: SpecialHeaders, stored: number, reader: ByteReader): Promise<SparseMap | undefined> {
  const isInContent = special.number('GNU.sparse.major') === 1 && special.number('GNU.sparse.minor') === 0;
  const pieces = isInContent ? await readMapOfContent(name, stored, reader) : paxSparsePieces(special.records);
  if (pieces === undefined) return undefined;
  return { pieces, fileSize: special.number('GNU.sparse.realsize') ?? special.number('GNU.sparse.size') ?? 0 };
}

/** The map in front of the data: the number of pieces, then their numbers, each on a line, padded to a block. */
async function readMapOfContent(name: string, stored: number, reader: ByteReader): Promise<SparsePiece[]> {
  const lines: string[] = [];
  let rest = '';
  for (let left = Math.min(padded(stored), maxSpecialBytes); left > 0; left -= blockSize) {
    const parts = `${rest}${(await reader.block())?.toString('latin1') ?? ''}`.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    const count = 2 * sizeOf(lines[0] ?? '0');
    if (lines.length > count) return piecesOf(lines.slice(1, count + 1));
  }
  throw unsafeLayer(name, 'has a malformed sparse map');
}

function decodeHeader(block: Buffer): TarHeader | null {
  try {
    return decode(block, 'latin1', true);
  } catch (error) {
    throw unsafeLayer(nameOf(block), `has an invalid header: ${errorMessage(error)}`);
  }
}

/** With the prefix of the POSIX format. */
function nameOf(block: Buffer): string {
  const name = untilZero(block.subarray(0, 100));
  const prefix = untilZero(block.subarray(345, 500));
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  return decodeFileName(isPosix && prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name);
}

function untilZero(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

/** Reads exact numbers of bytes of a stream. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes read so far. */
  offset = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** A block; undefined at the end of the stream. */
  async block(): Promise<Buffer | undefined> {
    if (this.#rest.length === 0 && !(await this.#more())) return undefined;
    return this.#take(blockSize);
  }

  /** The content of a special entry. */
  async special(size: number): Promise<Buffer> {
    if (sizeOf(size) > maxSpecialBytes) throw unsafeLayer('', `has a name or extended header of ${size} bytes`);
    const content = await this.#take(padded(size));
    return content.subarray(0, size);
  }

  /** So many bytes in pieces. */
  async *pass(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) throw unsafeLayer('', 'is cut off');
      const piece = this.#rest.subarray(0, left);
      this.#advance(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async skip(size: number): Promise<void> {
    for await (const _ of this.pass(size));
  }

  /** The padding after the last content may be missing: umoci writes such archives, and Go's reader takes them. */
  async skipPadding(size: number): Promise<void> {
    for (let left = size; left > 0 && (this.#rest.length > 0 || (await this.#more())); ) {
      const skipped = Math.min(left, this.#rest.length);
      this.#advance(skipped);
      left -= skipped;
    }
  }

  async drain(): Promise<void> {
    this.#rest = Buffer.alloc(0);
    while (await this.#more());
  }

  async #take(size: number): Promise<Buffer> {
    if (this.#rest.length < size) {
      const pieces: Buffer[] = [];
      for await (const piece of this.pass(size)) pieces.push(piece);
      return Buffer.concat(pieces);
    }
    const taken = this.#rest.subarray(0, size);
    this.#advance(size);
    return taken;
  }

  #advance(size: number): void {
    this.#rest = this.#rest.subarray(size);
    this.offset += size;
  }

  /** False at the end. */
  async #more(): Promise<boolean> {
    for (;;) {
      const { value, done } = await this.#chunks.next();
      if (done) return false;
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      if (this.#rest.length > 0) return true;
    }
  }
}
