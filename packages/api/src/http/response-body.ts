import type { ByteReader } from './byte-reader.js';
import { concatBytes, latin1 } from './bytes.js';
import { readFields } from './header-fields.js';
import type { BodyFraming } from './response-head.js';

/** Maximum size of a line with a chunk's size, and of the trailer. */
const maxLineBytes = 4096;
/** Maximum size of chunk extensions and of the sizes of small chunks, beyond what the data justifies. */
const maxOverheadBytes = 16 * 1024;

/** The first `limit` bytes of the body, without waiting for the rest. Throws if the body is incomplete or malformed, with Go's message. */
export async function readBody(bytes: ByteReader, framing: BodyFraming, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of bodyParts(bytes, framing)) {
    parts.push(part);
    length += part.length;
    if (length >= limit) break;
  }
  return concatBytes(parts).subarray(0, limit);
}

async function* bodyParts(bytes: ByteReader, framing: BodyFraming): AsyncGenerator<Uint8Array> {
  if (framing.until === 'last chunk') yield* chunks(bytes);
  else if (framing.until === 'length') yield* exactly(bytes, framing.length);
  else for (let part = await bytes.some(Infinity); part.length > 0; part = await bytes.some(Infinity)) yield part;
}

async function* exactly(bytes: ByteReader, count: number): AsyncGenerator<Uint8Array> {
  for (let rest = count; rest > 0; ) {
    const part = await bytes.some(rest);
    if (part.length === 0) throw unexpectedEnd();
    rest -= part.length;
    yield part;
  }
}

async function* chunks(bytes: ByteReader): AsyncGenerator<Uint8Array> {
  for (let overhead = 0; ; ) {
    const line = await bytes.line(maxLineBytes, new Error('header line too long'));
    if (line?.at(-1) !== 0x0a) throw unexpectedEnd();
    const size = chunkSize(latin1(line));
    overhead = Math.max(0, overhead + line.length - 16 - 2 * size);
    if (overhead > maxOverheadBytes) throw new Error('chunked encoding contains too much non-data');
    if (size === 0) break;
    yield* exactly(bytes, size);
    let end = '';
    for await (const part of exactly(bytes, 2)) end += latin1(part);
    if (end !== '\r\n') throw new Error('malformed chunked encoding');
  }
  await readTrailer(bytes);
}

function chunkSize(line: string): number {
  const end = line.indexOf('\r');
  if (end < 0) throw new Error('chunked line ends with bare LF');
  if (end !== line.length - 2) throw new Error('invalid CR in chunked line');
  const [size = ''] = line
    .slice(0, end)
    .replace(/[ \t]+$/, '')
    .split(';', 1);
  if (size === '') throw new Error('empty hex number for chunk length');
  if (!/^[0-9A-Fa-f]+$/.test(size)) throw new Error('invalid byte in chunk length');
  if (size.length > 16) throw new Error('http chunk length too large');
  return Number.parseInt(size, 16);
}

/** Reads over the trailer. It must end with CR LF CR LF. */
async function readTrailer(bytes: ByteReader): Promise<void> {
  const tooLong = new Error('http: suspiciously long trailer after chunked body');
  let trailer = '';
  const nextLine = async () => {
    const line = await bytes.line(maxLineBytes - trailer.length, tooLong);
    if (line === undefined) throw trailer === '' ? new Error('http: unexpected EOF reading trailer') : tooLong;
    trailer += latin1(line);
    return latin1(line);
  };
  await readFields(nextLine, () => {});
  if (trailer !== '\r\n' && !trailer.endsWith('\r\n\r\n')) throw tooLong;
}

function unexpectedEnd(): Error {
  return new Error('unexpected EOF');
}
