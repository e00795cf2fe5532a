import { createInflate, type Inflate } from 'node:zlib';
import { protocolError } from '../errors.js';
import { spdyDictionary } from './dictionary.js';

/** Maximum size of the headers of one stream, decompressed. */
const longestHeaders = 64 * 1024;
/** Maximum size of a stored deflate block. */
const maxStored = 0xffff;

/** An empty stored block, which flushes zlib: some readers process the preceding bytes only after it. */
const endAndFlush = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** Headers of a SPDY stream, with lower-case names. */
export type SpdyHeaders = Readonly<Record<string, string>>;

/** Encodes the header blocks of one connection in send order, as stored (uncompressed) zlib blocks. */
export function createHeaderEncoder(): (headers: SpdyHeaders) => Buffer {
  let hasHeader = false;
  return (headers) => {
    const plain = encodePairs(headers);
    const pieces: Uint8Array[] = hasHeader ? [] : [Buffer.from([0x78, 0x01])];
    hasHeader = true;
    for (let at = 0; at < plain.length; at += maxStored) {
      const piece = plain.subarray(at, at + maxStored);
      const head = Buffer.alloc(5);
      head.writeUInt16LE(piece.length, 1);
      head.writeUInt16LE(~piece.length & 0xffff, 3);
      pieces.push(head, piece);
    }
    pieces.push(endAndFlush);
    return Buffer.concat(pieces);
  };
}

/** Decodes the header blocks of one connection in the order received. */
export interface HeaderDecoder {
  decode(block: Uint8Array): Promise<SpdyHeaders>;
  close(): void;
}

/** Creates a {@link HeaderDecoder}. The first block allocates zlib's memory. */
export function createHeaderDecoder(): HeaderDecoder {
  let inflate: Inflate | undefined;
  let pieces: Buffer[] = [];
  let length = 0;
  let fail = (_error: Error) => {};
  const open = () => {
    const opened = createInflate({ dictionary: spdyDictionary() });
    opened.on('data', (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      if (length > longestHeaders) opened.destroy();
    });
    opened.on('error', (error) => fail(error));
    return opened;
  };
  return {
    async decode(block) {
      inflate ??= open();
      const stream = inflate;
      pieces = [];
      length = 0;
      await new Promise<void>((resolve, reject) => {
        fail = (error) => reject(protocolError(`SPDY: cannot decompress headers: ${error.message}`));
        stream.write(block, (error) => {
          if (error) fail(error);
          else resolve();
        });
      });
      stream.read();
      if (length > longestHeaders) throw protocolError('SPDY: the headers of a stream are too long');
      return decodePairs(Buffer.concat(pieces));
    },
    close() {
      inflate?.destroy();
    },
  };
}

function encodePairs(headers: SpdyHeaders): Buffer {
  const pairs = Object.entries(headers);
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const text = (value: string) => {
    const bytes = Buffer.from(value);
    return [number(bytes.length), bytes];
  };
  return Buffer.concat([number(pairs.length), ...pairs.flatMap(([name, value]) => [...text(name.toLowerCase()), ...text(value)])]);
}

function decodePairs(bytes: Buffer): SpdyHeaders {
  let at = 0;
  const number = () => {
    if (at + 4 > bytes.length) throw protocolError('SPDY: a header block ends too early');
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  const text = () => {
    const length = number();
    if (at + length > bytes.length) throw protocolError('SPDY: a header block ends too early');
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const headers = new Map<string, string>();
  for (let left = number(); left > 0; left--) headers.set(text(), text());
  return Object.fromEntries(headers);
}
