import { errorMessage } from '@nodeagent/api';
// @ts-expect-error: tar-stream has no types; that below is of what this package uses.
import * as tarHeaders from 'tar-stream/headers.js';
import { decodeFileName } from './file-name.js';
import { unsafeLayer } from './layer-path.js';
import { decodePaxRecords, type PaxRecord } from './pax-records.js';

/** An entry of a layer's archive. */
export interface TarEntry {
  /** The block of its header. */
  header: Buffer;
  /** The type: `0` file, `1` hard link, `2` link, `3` and `4` devices, `5` folder, `6` FIFO, `S` sparse file of GNU tar. */
  type: string;
  name: string;
  linkName: string;
  /** Its extended header, without those of names, of the type's meaning and of unknown kinds. */
  records: PaxRecord[];
  /** Bytes of content in the archive, without padding. */
  size: number;
  /** Bytes of the file once it is unpacked: more than `size` for a sparse one. */
  fileSize: number;
  /** The blocks of a sparse file's map, after the header. */
  map: Buffer;
  /** The content with its padding. What is not read is skipped. */
  content(): AsyncGenerator<Buffer>;
}

interface TarHeader {
  size: number;
}

const { decode } = tarHeaders as { decode(block: Buffer, encoding: string, allowUnknownFormat: boolean): TarHeader | null };

export const blockSize = 512;
/** Largest extended header, name or map of a sparse file. Go's reader has the same limit. */
const maxSpecialBytes = 1 << 20;
const namesOfPax = new Set(['path', 'linkpath', 'GNU.sparse.name']);
const keptOfPax = /^(size|uid|gid|mtime|GNU\.sparse\.(?!name$)\w+|SCHILY\.xattr\.(?!(trusted|user)\.overlay\.).+)$/;

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
    const end = reader.offset + padded(entry.size);
    yield entry;
    await reader.skip(end - reader.offset);
    special = new SpecialHeaders();
  }
  await reader.drain();
}

/** What the special entries before an entry override of it. */
class SpecialHeaders {
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
    const last = (key: string) => records.findLast((record) => record.key === key)?.value;
    const name = last('GNU.sparse.name') ?? last('path');
    const linkName = last('linkpath');
    if (name !== undefined) this.name = decodeFileName(name);
    if (linkName !== undefined) this.linkName = decodeFileName(linkName);
    this.records = records.filter(({ key }) => !namesOfPax.has(key) && keptOfPax.test(key));
  }

  number(key: string): number | undefined {
    const text = this.records.findLast((record) => record.key === key)?.value.toString('latin1');
    return text === undefined ? undefined : sizeOf(text);
  }
}

async function readEntry(block: Buffer, header: TarHeader, special: SpecialHeaders, reader: ByteReader): Promise<TarEntry> {
  const flag = String.fromCharCode(block[156] || 0x30);
  const name = special.name ?? nameOf(block);
  const isFile = flag === '0' || flag === '7' || flag === 'S';
  const type = flag === '0' && name.endsWith('/') ? '5' : flag === '7' ? '0' : flag;
  const size = isFile && type !== '5' ? (special.number('size') ?? sizeOf(header.size)) : 0;
  const map = flag === 'S' ? await readSparseMap(block, reader) : Buffer.alloc(0);
  const sparseSize = flag === 'S' ? numberAt(block, 483, 12) : (special.number('GNU.sparse.realsize') ?? special.number('GNU.sparse.size'));
  return {
    header: block,
    type,
    name,
    linkName: special.linkName ?? decodeFileName(untilZero(block.subarray(157, 257))),
    records: special.records,
    size,
    fileSize: Math.max(sparseSize ?? 0, size),
    map,
    content: () => reader.pass(padded(size)),
  };
}

/** Extension blocks of an old GNU sparse header follow as long as the flag at their end is set. */
async function readSparseMap(header: Buffer, reader: ByteReader): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for (let isExtended = header[482] === 1; isExtended; ) {
    const block = await reader.block();
    if (block === undefined || blocks.length * blockSize >= maxSpecialBytes)
      throw unsafeLayer(nameOf(header), 'has a malformed sparse map');
    blocks.push(block);
    isExtended = block[504] === 1;
  }
  return Buffer.concat(blocks);
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

function sizeOf(value: number | string | null): number {
  const size = typeof value === 'string' && !/^\d+$/.test(value) ? Number.NaN : Number(value);
  if (!Number.isSafeInteger(size) || size < 0) throw unsafeLayer('', `has the size ${String(value).slice(0, 30)}`);
  return size;
}

/** A number in octal digits or, with the highest bit set, in base 256. */
function numberAt(block: Buffer, start: number, length: number): number {
  const field = block.subarray(start, start + length);
  if (((field[0] ?? 0) & 0x80) !== 0) return sizeOf(Number(`0x${field.subarray(1).toString('hex')}`));
  return sizeOf(Number.parseInt(field.toString('latin1').trim().replace(/\0.*$/s, '') || '0', 8));
}

export const padded = (size: number) => Math.ceil(size / blockSize) * blockSize;

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
