import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { controlFrame, dataFrameHead, frameType, words } from './spdy/frames.js';
import { createHeaderEncoder } from './spdy/header-block.js';
import { createSpdySession } from './spdy/session.js';
import { createWebSocket } from './websocket/connection.js';
import { opcode, webSocketFrame } from './websocket/frames.js';

/** A connection whose peer sends these pieces, then reads (or does not read) the replies and ends. */
function peerSending(pieces: readonly Uint8Array[], { reads = true } = {}): Duplex {
  let unread: (error: Error) => void = () => {};
  const socket = new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      if (reads) done();
      else unread = done;
    },
    destroy(error, done) {
      unread(new Error('the connection was lost'));
      done(error);
    },
  });
  for (const piece of pieces) socket.push(piece);
  if (reads) socket.push(null);
  return socket;
}

// fast-check prints the seed and the path of a counterexample.
const runs = { numRuns: 300 };
const noise = fc.uint8Array({ maxLength: 40 });
const headers = createHeaderEncoder()({ streamtype: 'data', port: '80', requestid: '0' });
const spdyFrame = fc.oneof(
  fc
    .record({ type: fc.integer({ min: 0, max: 12 }), flags: fc.integer({ min: 0, max: 255 }), body: noise })
    .map(({ type, flags, body }) => controlFrame(type, flags, body)),
  fc
    .record({ id: fc.integer({ min: 0, max: 9 }), flags: fc.integer({ min: 0, max: 1 }) })
    .map(({ id, flags }) => controlFrame(frameType.synStream, flags, words(id, 0), Buffer.alloc(2), headers)),
  fc
    .record({ id: fc.integer({ min: 0, max: 9 }), flags: fc.integer({ min: 0, max: 1 }), data: noise })
    .map(({ id, flags, data }) => Buffer.concat([dataFrameHead(id, data.length, flags), data])),
  noise,
);
const messageFrame = fc.oneof(
  fc
    .record({ kind: fc.constantFrom(...Object.values(opcode)), data: noise })
    .map(({ kind, data }) => webSocketFrame(kind, data, Buffer.from([1, 2, 3, 4]))),
  noise,
);

describe('a hostile peer', () => {
  it('over SPDY sends valid frames or loses the connection (fuzz)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(spdyFrame), async (frames) => {
        const socket = peerSending(frames.map((frame) => Buffer.from(frame)));
        await createSpdySession({ socket, role: 'server', onStream: (stream) => void stream.resume() }).closed;
        expect(socket.destroyed).toBe(true);
      }),
      runs,
    );
  });

  it('over a WebSocket sends valid messages or causes a protocol error (fuzz)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(messageFrame), async (frames) => {
        const socket = peerSending(frames.map((frame) => Buffer.from(frame)));
        const read = async () => {
          for await (const { data } of createWebSocket({ socket, role: 'server' }).messages()) expect(data).toBeInstanceOf(Buffer);
        };
        await read().catch((error) => expect(error).toMatchObject({ code: 'StreamProtocolError' }));
      }),
      runs,
    );
  });

  it('cannot fill memory with replies that it does not read', async () => {
    const pings = (ping: Buffer) => peerSending(Array(5_000).fill(ping), { reads: false });
    const spdy = pings(controlFrame(frameType.ping, 0, words(1)));
    const session = createSpdySession({ socket: spdy, role: 'server' });
    const webSocket = pings(webSocketFrame(opcode.ping, Buffer.alloc(125), Buffer.alloc(4)));
    const reading = createWebSocket({ socket: webSocket, role: 'server' }).messages().next();
    for (let turn = 0; turn < 1_000; turn++) await new Promise((resolve) => setImmediate(resolve));
    for (const socket of [spdy, webSocket]) {
      expect(socket.writableLength).toBeGreaterThan(0);
      expect(socket.writableLength).toBeLessThan(20_000);
      socket.destroy();
    }
    await session.closed;
    await reading.catch(() => {});
  });
});
