import { protocolError } from '../errors.js';

/** Types of control frames, draft-mbelshe-httpbis-spdy-00 section 2.6. */
export const frameType = { synStream: 1, synReply: 2, rstStream: 3, settings: 4, ping: 6, goAway: 7, headers: 8, windowUpdate: 9 } as const;

/** Status codes of RST_STREAM, section 2.6.3. */
export const resetReason = { protocolError: 1, invalidStream: 2, refusedStream: 3, cancel: 5 } as const;

/** The flag of the sender's last frame of a stream. */
export const finFlag = 1;

const version = 3;
const headLength = 8;
/** Maximum length of a control frame; headers are small. */
const longestControl = 64 * 1024;

/** A control frame, or a chunk of a data frame: data is passed on before its frame is complete. */
export type SpdyFrame =
  | { control: number; flags: number; body: Buffer }
  | { control?: undefined; streamId: number; data: Buffer; fin: boolean };

/** Encodes a control frame. */
export function controlFrame(type: number, flags: number, ...body: readonly Uint8Array[]): Buffer {
  const length = body.reduce((sum, each) => sum + each.length, 0);
  const head = Buffer.alloc(headLength);
  head.writeUInt16BE(0x8000 | version, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(((flags << 24) | length) >>> 0, 4);
  return Buffer.concat([head, ...body]);
}

/** Encodes the header of a data frame. */
export function dataFrameHead(streamId: number, length: number, flags = 0): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUInt32BE(streamId, 0);
  head.writeUInt32BE(((flags << 24) | length) >>> 0, 4);
  return head;
}

/** Encodes 32-bit numbers for a control frame. */
export function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4);
  return bytes;
}

/**
 * Splits received bytes into frames. Call it with each chunk, and read all that it yields. It throws a protocol error after the frames that
 * precede the violation.
 */
export function createFrameSplitter(): (chunk: Buffer) => Generator<SpdyFrame, void, undefined> {
  let kept: Buffer = Buffer.alloc(0);
  let open: { streamId: number; left: number; fin: boolean } | undefined;
  return function* (chunk) {
    let rest = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
    for (;;) {
      if (open !== undefined) {
        const data = rest.subarray(0, open.left);
        rest = rest.subarray(data.length);
        open.left -= data.length;
        const done = open.left === 0;
        if (data.length > 0 || done) yield { streamId: open.streamId, data, fin: done && open.fin };
        if (!done) break;
        open = undefined;
      }
      if (rest.length < headLength) break;
      const first = rest.readUInt32BE(0);
      const length = rest.readUIntBE(5, 3);
      const flags = rest[4] ?? 0;
      if (first < 0x8000_0000) {
        rest = rest.subarray(headLength);
        open = { streamId: first, left: length, fin: (flags & finFlag) !== 0 };
        continue;
      }
      if (((first >>> 16) & 0x7fff) !== version) throw protocolError('not a frame of SPDY/3');
      if (length > longestControl) throw protocolError('SPDY: a control frame is too long');
      if (rest.length < headLength + length) break;
      yield { control: first & 0xffff, flags, body: rest.subarray(headLength, headLength + length) };
      rest = rest.subarray(headLength + length);
    }
    kept = rest;
  };
}
