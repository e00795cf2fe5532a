import { constants, deflateRawSync } from 'node:zlib';
import { createSpdySession } from '@nodeagent/streaming';
import fc from 'fast-check';
import { base64Field, chunkSizes, chunksOf, fromBase64, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { peerSending } from '../generate/peer.js';
import { promise, promiseDocumented, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

const types = { synStream: 1, synReply: 2, reset: 3, settings: 4, ping: 6, goAway: 7, headers: 8, windowUpdate: 9 };

/** Frames of SPDY/3.1, written here independently of the package. */
function control(type: number, flags: number, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0x80, 3, 0, type, flags, body.length >> 16, body.length >> 8, body.length]), body]);
}

function dataFrame(id: number, flags: number, data: Uint8Array): Buffer {
  return Buffer.concat([number(id), Buffer.from([flags, data.length >> 16, data.length >> 8, data.length]), data]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

const text = (value: string) => Buffer.concat([number(Buffer.byteLength(value)), Buffer.from(value)]);

/** A header block before its compression. */
const plainBlock = (pairs: readonly (readonly [string, string])[], count: number) =>
  Buffer.concat([number(count), ...pairs.flat().map(text)]);

const blockStart = 10;

/**
 * Compresses the header blocks of the SYN_STREAM frames. They share one zlib stream: its two leading bytes are only in the first one. Other bytes
 * remain.
 */
function compressed(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let zlibHeader = Buffer.from([0x78, 0x9c]);
  let at = 0;
  for (let end = 0; at + 8 <= bytes.length; at = end) {
    end = at + 8 + bytes.readUIntBE(at + 5, 3);
    const body = bytes.subarray(at + 8, end);
    const isOpening = bytes.readUInt32BE(at) === 0x8003_0001 && body.length >= blockStart;
    if (!isOpening || end > bytes.length) {
      parts.push(bytes.subarray(at, end));
      continue;
    }
    const block = deflateRawSync(body.subarray(blockStart), { finishFlush: constants.Z_SYNC_FLUSH });
    parts.push(control(types.synStream, bytes[at + 4] ?? 0, Buffer.concat([body.subarray(0, blockStart), zlibHeader, block])));
    zlibHeader = Buffer.alloc(0);
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}

interface Opening {
  id: number;
  flags: number;
  pairs: [string, string][];
  count: number;
}

const id = fc.oneof(fc.nat(5), fc.constantFrom(0x7fff_ffff, 0x8000_0001));
const flags = fc.constantFrom(0, 0, 0, 1, 2, 255);
const data = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(new Uint8Array(40_000)));
const pairs = fc.array(
  fc.tuple(
    fc.constantFrom('streamtype', 'port', 'requestid', '__proto__', 'A', ''),
    fc.constantFrom('stdin', '80', '', 'ü', 'x'.repeat(70_000)),
  ),
  { maxLength: 4 },
);
const opening = fc
  .record({ id, flags, pairs, extra: fc.constantFrom(0, 0, 0, 1, 0xffff_fff0) })
  .map(({ extra, ...rest }): Opening => ({ ...rest, count: rest.pairs.length + extra }));
const otherFrame = fc.oneof(
  fc.record({ id, flags, data }).map(({ id, flags, data }) => dataFrame(id, flags, data)),
  fc
    .record({ type: fc.constantFrom(...Object.values(types), 0, 12), flags, id, rest: fc.uint8Array({ maxLength: 12 }) })
    .map(({ type, flags, id, rest }) => control(type, flags, Buffer.concat([number(id), rest]))),
);
/** SYN_STREAM frames with plain header blocks, and other frames between them. */
const connection = fc
  .array(
    fc.oneof(
      opening.map(({ id, flags, pairs, count }) =>
        control(types.synStream, flags, Buffer.concat([number(id), number(0), Buffer.alloc(2), plainBlock(pairs, count)])),
      ),
      otherFrame,
    ),
    { maxLength: 10 },
  )
  .map((frames) => Buffer.concat(frames));
const peer = fc.oneof(
  fc.record({ bytes: fc.oneof(connection, mutatedBytes(connection)), isCompressed: fc.constant(false) }),
  fc.record({ bytes: mutatedBytes(connection.map(compressed)), isCompressed: fc.constant(true) }),
);

interface Received {
  streams: { headers: object; data: string; hasEnded: boolean }[];
  replies: string;
}

async function receive(chunks: readonly Buffer[], role: 'client' | 'server'): Promise<Received> {
  const { socket, replies } = peerSending(chunks);
  const streams: Received['streams'] = [];
  const session = createSpdySession({
    socket,
    role,
    onStream(stream) {
      const received = { headers: { ...stream.headers }, data: '', hasEnded: false };
      streams.push(received);
      stream.on('data', (chunk: Buffer) => {
        received.data += chunk.toString('hex');
      });
      stream.on('end', () => {
        received.hasEnded = true;
      });
      stream.on('error', (error) => promiseDocumented(error, ['StreamReset'], 'a stream'));
    },
  });
  await session.closed;
  promise(socket.destroyed, 'the connection is open after the session has closed');
  return { streams, replies: replies().toString('hex') };
}

export const spdyFrames = fuzzTarget({
  name: 'spdy-frames',
  promise: 'bytes give the same streams, data and replies however they are split, and the session closes with its connection',
  runs: 600,
  inputs: fc
    .record({ peer, sizes: chunkSizes, role: fc.constantFrom<'client' | 'server'>('server', 'server', 'client') })
    .map(({ peer: { bytes, isCompressed }, ...rest }) => ({ bytes: toBase64(bytes), isCompressed, ...rest })),
  content: base64Field('bytes'),
  async check({ bytes, isCompressed, sizes, role }) {
    const content = isCompressed ? fromBase64(bytes) : compressed(fromBase64(bytes));
    const whole = await receive([Buffer.from(content)], role);
    const split = await receive(chunksOf(content, sizes), role);
    promiseSame(split.replies, whole.replies, 'the replies to chunks');
    const headers = ({ streams }: Received) => streams.map((stream) => stream.headers);
    promiseSame(headers(split), headers(whole), 'the streams of chunks');
    for (const [index, { data, hasEnded }] of whole.streams.entries()) {
      const other = split.streams[index];
      // A lost connection discards what its streams have not read yet.
      if (hasEnded && other?.hasEnded) promiseSame(other.data, data, `the data of stream ${index}`);
      else promise(other !== undefined && (other.data.startsWith(data) || data.startsWith(other.data)), `the data of stream ${index}`);
    }
  },
});
