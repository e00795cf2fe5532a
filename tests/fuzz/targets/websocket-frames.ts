import { createWebSocket } from '@nodeagent/streaming';
import fc from 'fast-check';
import { base64Field, chunkSizes, chunksOf, fromBase64, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { peerSending } from '../generate/peer.js';
import { BrokenPromise, promise, promiseDocumented, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

interface Frame {
  opcode: number;
  fin: boolean;
  data: Uint8Array;
  /** Encoding of the length: 7, 16 or 64 bits. */
  bits: 7 | 16 | 64;
}

/** A masked frame by RFC 6455, written here independently of the package. */
function encode({ opcode, fin, data, bits }: Frame): Buffer {
  const size = data.length > 0xffff ? 64 : data.length > 125 && bits === 7 ? 16 : bits;
  const extended = Buffer.alloc(size === 7 ? 0 : size / 8);
  if (size === 16) extended.writeUInt16BE(data.length);
  if (size === 64) extended.writeBigUInt64BE(BigInt(data.length));
  const mask = [1, 2, 3, 250];
  const head = [(fin ? 0x80 : 0) | opcode, 0x80 | (size === 7 ? data.length : size === 16 ? 126 : 127)];
  return Buffer.concat([Buffer.from(head), extended, Buffer.from(mask), data.map((byte, index) => byte ^ (mask[index % 4] ?? 0))]);
}

const data = fc.oneof(
  fc.uint8Array({ maxLength: 130 }),
  fc.constantFrom(125, 126, 127, 0xffff, 0x10000).map((length) => new Uint8Array(length)),
);
const bits = fc.constantFrom<7 | 16 | 64>(7, 7, 7, 16, 64);
/** A message in fragments, with pings between them. */
const message = fc
  .tuple(fc.array(fc.record({ data, bits }), { minLength: 1, maxLength: 3 }), fc.uint8Array({ maxLength: 20 }), fc.boolean())
  .map(([parts, ping, hasPing]) =>
    parts.flatMap(({ data, bits }, index): Frame[] => [
      { opcode: index === 0 ? 2 : 0, fin: index === parts.length - 1, data, bits },
      ...(hasPing ? [{ opcode: 9, fin: true, data: ping, bits: 7 as const }] : []),
    ]),
  );
const anyFrame = fc.record({ opcode: fc.nat(15), fin: fc.boolean(), data, bits });
const valid = fc.array(message, { maxLength: 4 }).map((messages) => Buffer.concat(messages.flat().map(encode)));
const bytes = fc.oneof(
  valid,
  mutatedBytes(valid),
  mutatedBytes(fc.array(anyFrame, { maxLength: 6 }).map((frames) => Buffer.concat(frames.map(encode)))),
);

interface Received {
  messages: string[];
  replies: string;
  error?: string;
}

async function receive(chunks: readonly Buffer[]): Promise<Received> {
  const { socket, replies } = peerSending(chunks);
  /** In hexadecimal, a complete one with a period at its end. */
  const messages: string[] = [];
  const received = (error?: string): Received => ({ messages, replies: replies().toString('hex'), ...(error !== undefined && { error }) });
  try {
    for await (const { first, last, data } of createWebSocket({ socket, role: 'server' }).messages()) {
      const isOpen = messages.length > 0 && !messages.at(-1)?.endsWith('.');
      promise(first !== isOpen, 'a piece continues a message that has ended, or begins one within another');
      const text = `${data.toString('hex')}${last ? '.' : ''}`;
      messages.push(first ? text : `${messages.pop()}${text}`);
    }
    return received();
  } catch (error) {
    if (error instanceof BrokenPromise) throw error;
    return received(promiseDocumented(error, ['StreamProtocolError'], 'reading messages').message);
  }
}

export const webSocketFrames = fuzzTarget({
  name: 'websocket-frames',
  promise: 'bytes give the same messages and replies however they are split, or a protocol error',
  runs: 900,
  inputs: fc.record({ bytes: bytes.map(toBase64), sizes: chunkSizes }),
  content: base64Field('bytes'),
  async check({ bytes, sizes }) {
    const content = fromBase64(bytes);
    const whole = await receive([Buffer.from(content)]);
    const split = await receive(chunksOf(content, sizes));
    promiseSame(split, whole, 'messages, replies and error of chunks');
  },
});
