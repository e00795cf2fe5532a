/** An entry of a test's layer. Names are bytes: they need not be UTF-8. */
export interface TarEntry {
  name: string | Buffer;
  /** Default: a file. */
  type?: keyof typeof typeFlags;
  /** Of a link of either kind. */
  target?: string | Buffer;
  content?: string | Buffer;
  /** Content of this size with data at these offsets only. */
  sparse?: { format: 'gnu' | 'pax 0.1' | 'pax 1.0'; size: number; pieces: readonly { offset: number; data: Buffer }[] };
  /** Default 0o644, that of a folder 0o755. */
  mode?: number;
  uid?: number;
  gid?: number;
  /** Nanoseconds since 1970. Default: 1 s. */
  mtime?: bigint;
  device?: readonly [major: number, minor: number];
  /** Written as records of PAX. */
  xattrs?: Readonly<Record<string, Buffer>>;
  /** How long names and large numbers are written. Default: PAX. */
  format?: 'pax' | 'gnu';
}

const typeFlags = { file: '0', link: '1', symlink: '2', char: '3', block: '4', folder: '5', fifo: '6' } as const;
const bytesOf = (text: string | Buffer) => (typeof text === 'string' ? Buffer.from(text) : text);
const second = 1_000_000_000n;

/** An archive of these entries. It is written here, as programs write a part of what archives may have. */
export const tarLayer = (entries: readonly TarEntry[]): Buffer => Buffer.concat([...entries.flatMap(encodeEntry), Buffer.alloc(1024)]);

function encodeEntry(entry: TarEntry): Buffer[] {
  const { name, target = '', mode, uid = 0, gid = 0, mtime = second, sparse, format = 'pax', type = 'file' } = entry;
  const records = new Map<string, Buffer>();
  const isPax = format === 'pax' && sparse?.format !== 'gnu';
  const header = Buffer.alloc(512);
  const before: Buffer[] = [];

  function putText(text: Buffer, offset: number, length: number, record: string, longType: string): void {
    text.copy(header, offset, 0, Math.min(text.length, length));
    if (text.length <= length) return;
    if (isPax) records.set(record, text);
    else before.push(...encodeEntryOf(longType, Buffer.concat([text, Buffer.alloc(1)])));
  }
  function putNumber(value: number | bigint, offset: number, length: number, record: string): void {
    const octal = value.toString(8);
    const fits = value >= 0 && octal.length < length;
    if (fits || isPax) header.write(`${(fits ? octal : '0').padStart(length - 1, '0')}\0`, offset, 'latin1');
    else writeBase256(header, BigInt(value), offset, length);
    if (!fits && isPax) records.set(record, Buffer.from(String(value)));
  }

  const content = sparse ? sparseContent(sparse, records, bytesOf(name)) : bytesOf(entry.content ?? '');
  const ownName = sparse?.format === 'pax 1.0' ? Buffer.from('GNUSparseFile.0/file') : bytesOf(name);
  putText(ownName, 0, 100, 'path', 'L');
  putNumber(mode ?? (type === 'folder' ? 0o755 : 0o644), 100, 8, '');
  putNumber(uid, 108, 8, 'uid');
  putNumber(gid, 116, 8, 'gid');
  putNumber(content.length, 124, 12, 'size');
  putNumber(floorSeconds(mtime), 136, 12, 'mtime');
  if (isPax && mtime % second !== 0n) records.set('mtime', Buffer.from(decimalSeconds(mtime)));
  header.write(sparse?.format === 'gnu' ? 'S' : typeFlags[type], 156, 'latin1');
  putText(bytesOf(target), 157, 100, 'linkpath', 'K');
  header.write(isPax ? 'ustar\x0000' : 'ustar  \0', 257, 'latin1');
  for (const [index, number] of (entry.device ?? []).entries()) putNumber(number, 329 + 8 * index, 8, '');
  if (sparse?.format === 'gnu') putSparseMap(header, sparse);
  for (const [key, value] of Object.entries(entry.xattrs ?? {})) records.set(`SCHILY.xattr.${key}`, value);
  if (records.size > 0) before.push(...encodeEntryOf('x', Buffer.concat([...records].map(encodeRecord))));
  return [...before, withChecksum(header), padded(content)];
}

/** An entry whose content belongs to the next one. */
function encodeEntryOf(type: string, content: Buffer): Buffer[] {
  const header = Buffer.alloc(512);
  header.write(type === 'x' ? 'PaxHeaders/entry' : '././@LongLink', 'latin1');
  for (const [offset, length] of [
    [100, 8],
    [108, 8],
    [116, 8],
    [136, 12],
  ] as const)
    header.write(`${'0'.repeat(length - 1)}\0`, offset, 'latin1');
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write(type, 156, 'latin1');
  header.write(type === 'x' ? 'ustar\x0000' : 'ustar  \0', 257, 'latin1');
  return [withChecksum(header), padded(content)];
}

function encodeRecord([key, value]: readonly [string, Buffer]): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

/** The data of all pieces, for PAX 1.0 after the map of them. */
function sparseContent({ format, size, pieces }: NonNullable<TarEntry['sparse']>, records: Map<string, Buffer>, name: Buffer): Buffer {
  const numbers = pieces.flatMap(({ offset, data }) => [offset, data.length]);
  const data = Buffer.concat(pieces.map((piece) => piece.data));
  const set = (key: string, value: string | number) => records.set(`GNU.sparse.${key}`, Buffer.from(String(value)));
  if (format === 'gnu') return data;
  if (format === 'pax 0.1') {
    set('size', size);
    set('numblocks', pieces.length);
    set('map', numbers.join(','));
    return data;
  }
  set('major', 1);
  set('minor', 0);
  records.set('GNU.sparse.name', name);
  set('realsize', size);
  return Buffer.concat([padded(Buffer.from(`${[pieces.length, ...numbers].join('\n')}\n`)), data]);
}

function putSparseMap(header: Buffer, { size, pieces }: NonNullable<TarEntry['sparse']>): void {
  const octal = (value: number, offset: number) => header.write(`${value.toString(8).padStart(11, '0')}\0`, offset, 'latin1');
  if (pieces.length > 4) throw new Error('a header has room for four pieces');
  for (const [index, { offset, data }] of pieces.entries()) {
    octal(offset, 386 + 24 * index);
    octal(data.length, 398 + 24 * index);
  }
  octal(size, 483);
}

function writeBase256(header: Buffer, value: bigint, offset: number, length: number): void {
  let rest = value;
  for (let index = length - 1; index >= 0; index--) {
    header[offset + index] = Number(rest & 255n);
    rest >>= 8n;
  }
  header[offset] = (header[offset] ?? 0) | 0x80;
}

function withChecksum(header: Buffer): Buffer {
  header.write('        ', 148, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

const padded = (content: Buffer) => Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
const floorSeconds = (time: bigint) => (time >= 0n ? time / second : -((-time + second - 1n) / second));

/** `-1.25` for -1,250,000,000 ns. */
function decimalSeconds(time: bigint): string {
  const size = time < 0n ? -time : time;
  return `${time < 0n ? '-' : ''}${size / second}.${String(size % second).padStart(9, '0')}`;
}
