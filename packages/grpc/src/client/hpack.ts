import { ConnectionError, http2Errors } from './frames.js';
import { decodeHuffman } from './huffman.js';

/** Headers by name. Of repeated headers only the last one: gRPC over one connection uses none. */
export type Headers = ReadonlyMap<string, string>;

/** The size of a header list that a peer may send, as RFC 9113, section 6.5.2, counts it. */
export const maxHeaderListBytes = 256 * 1024;
/** What each header counts besides its bytes. */
const headerOverheadBytes = 32;

/** The static table: RFC 7541, appendix A; index 1 is the first line. */
const staticTable = `
:authority
:method GET
:method POST
:path /
:path /index.html
:scheme http
:scheme https
:status 200
:status 204
:status 206
:status 304
:status 400
:status 404
:status 500
accept-charset
accept-encoding gzip, deflate
accept-language
accept-ranges
accept
access-control-allow-origin
age
allow
authorization
cache-control
content-disposition
content-encoding
content-language
content-length
content-location
content-range
content-type
cookie
date
etag
expect
expires
from
host
if-match
if-modified-since
if-none-match
if-range
if-unmodified-since
last-modified
link
location
max-forwards
proxy-authenticate
proxy-authorization
range
referer
refresh
retry-after
server
set-cookie
strict-transport-security
transfer-encoding
user-agent
vary
via
www-authenticate`
  .trim()
  .split('\n')
  .map((line) => {
    const [name = '', ...value] = line.split(' ');
    return { name, value: value.join(' ') };
  });

/** Encodes headers as literals that the peer's dynamic table does not keep, so that a block is valid on every connection and at any time. */
export function encodeHeaders(headers: Iterable<readonly [name: string, value: string]>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of headers) parts.push(Buffer.of(0), encodeString(name), encodeString(value));
  return Buffer.concat(parts);
}

function encodeString(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  const prefix: number[] = [];
  let rest = bytes.length;
  if (rest < 0x7f) prefix.push(rest);
  else {
    prefix.push(0x7f);
    for (rest -= 0x7f; rest >= 0x80; rest >>>= 7) prefix.push((rest & 0x7f) | 0x80);
    prefix.push(rest);
  }
  return Buffer.concat([Buffer.from(prefix), bytes]);
}

/** Creates a decoder that remembers the last block, because most responses have the same headers. */
export function createHeaderDecoder(): (block: Buffer) => Headers {
  let last: { block: Buffer; headers: Headers } | undefined;
  return (block) => {
    if (last?.block.equals(block)) return last.headers;
    const headers = decodeHeaders(block);
    last = { block: Buffer.from(block), headers };
    return headers;
  };
}

/**
 * Decodes the header block of a peer that may not use a dynamic table, because the session set its size to 0. A block is then complete in
 * itself.
 *
 * @throws ConnectionError for a list beyond the maximum size, Error for an invalid block
 */
export function decodeHeaders(block: Uint8Array): Headers {
  const headers = new Map<string, string>();
  let at = 0;
  let listBytes = 0;

  function add(name: string, value: string): void {
    listBytes += name.length + value.length + headerOverheadBytes;
    if (listBytes > maxHeaderListBytes) throw new ConnectionError(http2Errors.enhanceYourCalm, `headers of ${listBytes} bytes`);
    headers.set(name, value);
  }

  function integer(prefixBits: number): number {
    const mask = 2 ** prefixBits - 1;
    let value = byte() & mask;
    if (value < mask) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      const next = byte();
      value += (next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
    throw new Error('integer too large in a header block');
  }

  function byte(): number {
    const value = block[at++];
    if (value === undefined) throw new Error('incomplete header block');
    return value;
  }

  function string(): string {
    const isHuffman = (block[at] ?? 0) >= 0x80;
    const length = integer(7);
    const end = at + length;
    if (end > block.length) throw new Error('incomplete header block');
    const bytes = block.subarray(at, end);
    at = end;
    return (isHuffman ? decodeHuffman(bytes) : Buffer.from(bytes)).toString('latin1');
  }

  function indexed(index: number): { name: string; value: string } {
    const entry = staticTable[index - 1];
    if (entry === undefined) throw new Error(`no entry ${index} in the header table`);
    return entry;
  }

  function literal(index: number): void {
    const name = index === 0 ? string() : indexed(index).name;
    add(name, string());
  }

  while (at < block.length) {
    const first = block[at] ?? 0;
    if (first >= 0x80) {
      const { name, value } = indexed(integer(7));
      add(name, value);
    } else if (first >= 0x40) literal(integer(6));
    else if (first < 0x20) literal(integer(4));
    else if (integer(5) !== 0) throw new Error('dynamic header table in use');
  }
  return headers;
}
