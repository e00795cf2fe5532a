import { protocolError } from '../errors.js';

/** Opcodes of frames, RFC 6455 section 5.2. */
export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A control frame, or a chunk of a message: data is passed on before the message is complete. */
export type WebSocketPiece = { control: number; data: Buffer } | { control?: undefined; first: boolean; last: boolean; data: Buffer };

/** Encodes a frame; a client's frames are masked. */
export function webSocketFrame(kind: number, data: Uint8Array, mask?: Buffer): Buffer {
  const long = data.length > 0xffff;
  const head = Buffer.alloc(long ? 10 : data.length > 125 ? 4 : 2);
  head[0] = 0x80 | kind;
  head[1] = (mask ? 0x80 : 0) | (long ? 127 : data.length > 125 ? 126 : data.length);
  if (long) head.writeUIntBE(data.length, 4, 6);
  else if (data.length > 125) head.writeUInt16BE(data.length, 2);
  return mask ? Buffer.concat([head, mask, unmask(Buffer.from(data), mask, 0)]) : Buffer.concat([head, data]);
}

/**
 * Splits received bytes into chunks of messages. Call it with each received buffer, which it may modify, and read all that it yields. It throws
 * a protocol error after the chunks that precede the violation.
 */
export function createWebSocketSplitter(options: { masked: boolean }): (chunk: Buffer) => Generator<WebSocketPiece, void, undefined> {
  let kept: Buffer = Buffer.alloc(0);
  let open: { left: number; at: number; mask: Buffer | undefined; fin: boolean } | undefined;
  let inMessage = false;
  let first = false;
  return function* (chunk) {
    let rest = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
    for (;;) {
      if (open !== undefined) {
        const data = rest.subarray(0, open.left);
        if (open.mask) unmask(data, open.mask, open.at);
        rest = rest.subarray(data.length);
        open.left -= data.length;
        open.at += data.length;
        const done = open.left === 0;
        const last = done && open.fin;
        if (data.length > 0 || last) {
          yield { first, last, data };
          first = false;
        }
        if (!done) break;
        if (last) inMessage = false;
        open = undefined;
      }
      const head = readHead(rest, options.masked);
      if (head === undefined) break;
      const { kind, fin, length, size, mask } = head;
      if (kind >= opcode.close) {
        if (!fin || length > 125) throw protocolError('WebSocket: a control frame is too long');
        if (rest.length < size + length) break;
        const data = rest.subarray(size, size + length);
        if (mask) unmask(data, mask, 0);
        yield { control: kind, data };
        rest = rest.subarray(size + length);
        continue;
      }
      if ((kind === opcode.continuation) !== inMessage || kind > opcode.binary) throw protocolError(`WebSocket: unexpected opcode ${kind}`);
      first ||= !inMessage;
      inMessage = true;
      open = { left: length, at: 0, mask, fin };
      rest = rest.subarray(size);
    }
    kept = rest;
  };
}

/** The header of a frame; undefined while it is incomplete. */
function readHead(bytes: Buffer, masked: boolean) {
  if (bytes.length < 2) return undefined;
  const [start = 0, next = 0] = bytes;
  if ((start & 0x70) !== 0) throw protocolError('WebSocket: reserved bits are set');
  if (next >= 0x80 !== masked) throw protocolError(`WebSocket: a frame is ${masked ? 'not ' : ''}masked`);
  const short = next & 0x7f;
  const extended = short === 127 ? 8 : short === 126 ? 2 : 0;
  const size = 2 + extended + (masked ? 4 : 0);
  if (bytes.length < size) return undefined;
  if (extended === 8 && bytes.readUInt16BE(2) !== 0) throw protocolError('WebSocket: a frame is too long');
  const length = extended === 8 ? bytes.readUIntBE(4, 6) : extended === 2 ? bytes.readUInt16BE(2) : short;
  const mask = masked ? bytes.subarray(size - 4, size) : undefined;
  return { kind: start & 0x0f, fin: start >= 0x80, length, size, mask };
}

function unmask(data: Buffer, mask: Buffer, offset: number): Buffer {
  for (let at = 0; at < data.length; at++) data[at] = (data[at] as number) ^ (mask[(at + offset) & 3] as number);
  return data;
}
