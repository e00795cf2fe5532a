import { describe, expect, it } from 'vitest';
import { type Peer, servePeer } from '../../test/http2-peer.js';
import { count, errorOf, greet, statusOf, transportTo } from '../../test/text-greeter.js';
import { receiveWindowBytes } from './flow-control.js';
import { encodeNumbers, frameFlags, frameTypes, http2Errors } from './frames.js';
import { encodeHeaders } from './hpack.js';
import { encodeMessage } from './message-reader.js';

const ok = { ':status': '200', 'content-type': 'application/grpc' };

const framesOf = (peer: Peer, type: number) => peer.received.filter((frame) => frame.type === type);
const numberOf = (frame: { payload: Buffer } | undefined, at = 0) => frame?.payload.readUInt32BE(at);
const sentBody = (peer: Peer) => Buffer.concat(framesOf(peer, frameTypes.data).map(({ payload }) => payload));

describe('a session', () => {
  it('acknowledges settings and pings, and ignores unknown frames', async () => {
    const { socketPath, peer } = await servePeer({
      request(connection, id) {
        connection.send(0xfa, 0xff, id, Buffer.from('extension'));
        connection.send(frameTypes.ping, 0, 0, Buffer.from('12345678'));
        connection.send(frameTypes.ping, frameFlags.ack, 0, Buffer.from('abcdefgh'));
        connection.send(frameTypes.settings, frameFlags.ack, 0);
        connection.respond(id, 'hello');
      },
    });
    expect(await transportTo(socketPath).unary(greet, 'name')).toBe('hello');
    const connection = await peer(0);
    await expect.poll(() => framesOf(connection, frameTypes.ping)).toHaveLength(1);
    expect(framesOf(connection, frameTypes.ping)[0]).toMatchObject({ flags: frameFlags.ack, payload: Buffer.from('12345678') });
    expect(framesOf(connection, frameTypes.settings).map(({ flags }) => flags)).toEqual([0, frameFlags.ack]);
  });

  it('opens no more streams than the peer allows, and starts the others in order', async () => {
    const requests: number[] = [];
    const { socketPath, peer } = await servePeer({
      connected: (connection) => connection.settings([3, 2]),
      request: (_, id) => requests.push(id),
    });
    const transport = transportTo(socketPath);
    const first = transport.unary(greet, 'a');
    await expect.poll(() => requests).toEqual([1]);
    const calls = ['b', 'c', 'd', 'e'].map((name) => transport.unary(greet, name));
    const cancelled = new AbortController();
    const never = errorOf(transport.unary(greet, 'never', { signal: cancelled.signal }));
    await expect.poll(() => requests).toEqual([1, 3]);
    cancelled.abort('enough');
    expect(await never).toBe('enough');
    const connection = await peer(0);
    for (const id of [1, 3, 5, 7, 9]) {
      await expect.poll(() => requests).toContain(id);
      connection.respond(id, `${id}`);
    }
    expect(await Promise.all([first, ...calls])).toEqual(['1', '3', '5', '7', '9']);
    expect(sentBody(connection).toString()).not.toContain('never');
  });

  it('opens at most 100 streams before the settings of the peer', async () => {
    const requests: number[] = [];
    const { socketPath, peer } = await servePeer({ connected: () => {}, request: (_, id) => requests.push(id) });
    const transport = transportTo(socketPath);
    const calls = Array.from({ length: 150 }, () => transport.unary(greet, 'a'));
    const connection = await peer(0);
    await expect.poll(() => requests).toHaveLength(100);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(requests).toHaveLength(100);
    connection.settings();
    await expect.poll(() => requests).toHaveLength(150);
    for (const id of requests) connection.respond(id, 'hello');
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['hello']));
  });

  it('sends the body as far as the windows of the stream and the connection allow', async () => {
    const { socketPath, peer } = await servePeer({ connected: (connection) => connection.settings([4, 10]) });
    const transport = transportTo(socketPath);
    const message = 'x'.repeat(100_000);
    const call = transport.unary(greet, message);
    const connection = await peer(0);
    // The request precedes the settings, which reduce the window of the stream to less than what was sent.
    await expect.poll(() => sentBody(connection).length).toBe(65_535);
    await expect.poll(() => framesOf(connection, frameTypes.settings)).toHaveLength(2);
    const grant = (id: number, bytes: number) => connection.send(frameTypes.windowUpdate, 0, id, encodeNumbers(bytes));
    grant(0, 1_000_000);
    grant(1, 65_525);
    grant(1, 1);
    await expect.poll(() => sentBody(connection).length).toBe(65_536);
    grant(1, 100_000);
    await expect.poll(() => sentBody(connection).length).toBe(100_005);
    expect(sentBody(connection).equals(encodeMessage(Buffer.from(message)))).toBe(true);
    expect(framesOf(connection, frameTypes.data).map(({ flags }) => flags)).toEqual([0, 0, 0, 0, 0, 0, 0, frameFlags.endStream]);
    connection.respond(1, 'hello');
    expect(await call).toBe('hello');
  });

  it('cancels the rest of a request that the peer has already answered', async () => {
    const { socketPath, peer } = await servePeer({
      request: (connection, id) => connection.headers(id, { ...ok, 'grpc-status': '8' }, true),
    });
    expect(await statusOf(transportTo(socketPath).unary(greet, 'x'.repeat(100_000)))).toBe('ResourceExhausted: ');
    const connection = await peer(0);
    await expect.poll(() => framesOf(connection, frameTypes.resetStream).map((frame) => numberOf(frame))).toEqual([http2Errors.cancel]);
  });

  it('returns the windows of what it received, with few updates', async () => {
    const chunk = Buffer.alloc(16_384);
    const chunks = 50;
    const { socketPath, peer } = await servePeer({
      request(connection, id) {
        connection.headers(id, ok);
        const length = Buffer.alloc(5);
        length.writeUInt32BE(chunks * chunk.length, 1);
        connection.send(frameTypes.data, 0, id, length);
        for (let sent = 0; sent < chunks; sent++) connection.send(frameTypes.data, 0, id, chunk);
        connection.headers(id, { 'grpc-status': '0' }, true);
      },
    });
    const transport = transportTo(socketPath);
    for (let call = 0; call < 22; call++) expect(await transport.unary(greet, 'name')).toHaveLength(chunks * chunk.length);
    const connection = await peer(0);
    const received = 22 * (chunks * chunk.length + 5);
    const updates = (id: number) => framesOf(connection, frameTypes.windowUpdate).filter((frame) => frame.id === id);
    const initial = receiveWindowBytes.connection - 65_535;
    await expect.poll(() => updates(0)).toHaveLength(3);
    const granted = updates(0).map((frame) => numberOf(frame) ?? 0);
    expect(granted[0]).toBe(initial);
    expect(received - (granted[1] ?? 0) - (granted[2] ?? 0)).toBeLessThan(receiveWindowBytes.connection / 2);
    expect(updates(1)).toHaveLength(1);
  });

  it('returns the window of a stream for padding, too', async () => {
    const count1 = 2_500;
    const length = Buffer.alloc(5);
    length.writeUInt32BE(count1, 1);
    const padded = Buffer.concat([Buffer.of(255), Buffer.from('x'), Buffer.alloc(255)]);
    const { socketPath, peer } = await servePeer({
      request(connection, id) {
        connection.headers(id, ok);
        connection.send(frameTypes.data, 0, id, length);
        for (let sent = 0; sent < count1; sent++) connection.send(frameTypes.data, frameFlags.padded, id, padded);
        connection.headers(id, { 'grpc-status': '0' }, true);
      },
    });
    expect(await transportTo(socketPath).unary(greet, 'a')).toHaveLength(count1);
    const connection = await peer(0);
    const updates = () => framesOf(connection, frameTypes.windowUpdate).filter(({ id }) => id === 1);
    await expect.poll(() => updates().length).toBe(1);
    expect(numberOf(updates()[0])).toBeGreaterThanOrEqual(receiveWindowBytes.stream / 2);
  });

  it('returns the window of the connection for the data of cancelled streams', async () => {
    const chunk = Buffer.alloc(16_384);
    const { socketPath, peer } = await servePeer({
      request(connection, id) {
        if (id > 1) connection.respond(id, 'hello');
      },
    });
    const transport = transportTo(socketPath);
    const cancelled = new AbortController();
    const call = errorOf(transport.unary(greet, 'a', { signal: cancelled.signal }));
    const connection = await peer(0);
    await expect.poll(() => framesOf(connection, frameTypes.headers)).toHaveLength(1);
    cancelled.abort('enough');
    expect(await call).toBe('enough');
    await expect.poll(() => framesOf(connection, frameTypes.resetStream).map(({ id }) => id)).toEqual([1]);
    const isUpdate = ({ id }: { id: number }) => id === 0;
    const before = framesOf(connection, frameTypes.windowUpdate).filter(isUpdate).length;
    const half = receiveWindowBytes.connection / 2;
    for (let sent = 0; sent < half; sent += chunk.length) connection.send(frameTypes.data, 0, 1, chunk);
    const updates = () => framesOf(connection, frameTypes.windowUpdate).filter(isUpdate).slice(before);
    await expect.poll(() => updates().map((frame) => numberOf(frame))).toEqual([half]);
    expect(await transport.unary(greet, 'b')).toBe('hello');
  });

  it('grants a stream more only when its consumer has read, but always enough for one message', async () => {
    const large = 'x'.repeat(900_000);
    const message = encodeMessage(Buffer.from(large));
    const send = (connection: Peer) => {
      for (let at = 0; at < message.length; at += 16_384) connection.send(frameTypes.data, 0, 1, message.subarray(at, at + 16_384));
    };
    const { socketPath, peer } = await servePeer({
      request(connection, id) {
        connection.headers(id, ok);
        send(connection);
      },
    });
    const stream = transportTo(socketPath).stream(count, 'a');
    const first = stream.next();
    const connection = await peer(0);
    const granted = () => {
      const updates = framesOf(connection, frameTypes.windowUpdate).filter(({ id }) => id === 1);
      return updates.reduce((sum, frame) => sum + (numberOf(frame) ?? 0), 0);
    };
    expect((await first).value).toBe(large);
    await expect.poll(granted).toBeGreaterThan(message.length / 2);
    send(connection);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const beforeRead = granted();
    expect(beforeRead).toBeLessThan(2 * message.length);
    expect((await stream.next()).value).toBe(large);
    send(connection);
    expect((await stream.next()).value).toBe(large);
  });
});

describe('a peer that floods the client', () => {
  /** How a stream ends whose consumer reads the first message and waits, while the peer sends more, until the client has had enough. */
  async function endOfFlood(flood: (connection: Peer, id: number) => void): Promise<string> {
    const { socketPath, peer } = await servePeer({
      request(connection, id) {
        connection.headers(id, ok);
        connection.message(id, 'first');
        flood(connection, id);
      },
    });
    const stream = transportTo(socketPath).stream(count, 'a');
    await stream.next();
    const connection = await peer(0);
    await expect.poll(() => connection.socket.closed || framesOf(connection, frameTypes.resetStream).length > 0).toBe(true);
    const rest = async () => {
      for await (const message of stream) expect(message).toBeTypeOf('string');
    };
    return statusOf(rest());
  }

  it('cannot send more than the window of a stream', async () => {
    const message = encodeMessage(Buffer.alloc(16_000));
    const end = await endOfFlood((peer, id) => {
      for (let sent = 0; sent < 100; sent++) peer.send(frameTypes.data, 0, id, message);
    });
    expect(end).toMatch(/^Unavailable: Connection dropped: the peer sent \d+ bytes into a window of 1048576$/);
  });

  it('cannot send messages without content for ever', async () => {
    const messages = Buffer.alloc(3000 * 5);
    const end = await endOfFlood((peer, id) => {
      for (let sent = 0; sent < 10; sent++) peer.send(frameTypes.data, 0, id, messages);
    });
    expect(end).toBe('ResourceExhausted: more than 16384 messages wait for their consumer');
  });

  it('cannot let acknowledgements accumulate', async () => {
    const { socketPath } = await servePeer({
      request({ socket, send }) {
        socket.pause();
        for (let sent = 0; sent < 200_000; sent++) send(frameTypes.ping, 0, 0, Buffer.alloc(8));
      },
    });
    expect(await statusOf(transportTo(socketPath).unary(greet, 'a'))).toBe(
      'Unavailable: Connection dropped: the peer has not read 1001 acknowledgements',
    );
  });
});

describe('a violation of the protocol', () => {
  it.each<[name: string, cause: string, code: number, violate: (peer: Peer, id: number) => void]>([
    [
      'a frame above the maximum size',
      'frame of 16385 bytes',
      http2Errors.frameSizeError,
      (peer, id) => peer.send(frameTypes.data, 0, id, Buffer.alloc(16_385)),
    ],
    [
      'a frame that is too short',
      'frame of 3 bytes is too short',
      http2Errors.frameSizeError,
      (peer, id) => peer.send(frameTypes.resetStream, 0, id, Buffer.alloc(3)),
    ],
    [
      'the dynamic header table',
      'no entry 62 in the header table',
      http2Errors.compressionError,
      (peer, id) => peer.send(frameTypes.headers, 4, id, Buffer.of(0xbe)),
    ],
    [
      'a pushed stream',
      'pushed stream',
      http2Errors.protocolError,
      (peer, id) => peer.send(frameTypes.pushPromise, 4, id, Buffer.alloc(8)),
    ],
    [
      'CONTINUATION without HEADERS',
      'CONTINUATION without HEADERS',
      http2Errors.protocolError,
      (peer, id) => peer.send(frameTypes.continuation, 4, id),
    ],
    [
      'a header block that another frame interrupts',
      'header block interrupted by another frame',
      http2Errors.protocolError,
      (peer, id) => {
        peer.send(frameTypes.headers, 0, id, encodeHeaders(Object.entries(ok)));
        peer.send(frameTypes.data, 0, id);
      },
    ],
    [
      'headers without end',
      'headers of ',
      http2Errors.enhanceYourCalm,
      (peer, id) => {
        peer.send(frameTypes.headers, 0, id);
        for (let sent = 0; sent < 17; sent++) peer.send(frameTypes.continuation, 0, id, Buffer.alloc(16_384));
      },
    ],
    [
      'headers of empty parts without end',
      'headers of ',
      http2Errors.enhanceYourCalm,
      (peer, id) => {
        peer.send(frameTypes.headers, 0, id);
        for (let sent = 0; sent < 30_000; sent++) peer.send(frameTypes.continuation, 0, id);
      },
    ],
    [
      'more headers than fit in the list',
      'headers of 262',
      http2Errors.enhanceYourCalm,
      (peer, id) => peer.send(frameTypes.headers, frameFlags.endHeaders, id, Buffer.alloc(8_000, 0x88)),
    ],
    [
      'a PING of another length',
      'PING of 16384 bytes',
      http2Errors.frameSizeError,
      (peer) => peer.send(frameTypes.ping, 0, 0, Buffer.alloc(16_384)),
    ],
    [
      'excessive padding',
      'padding exceeds its frame',
      http2Errors.protocolError,
      (peer, id) => peer.send(frameTypes.data, frameFlags.padded, id, Buffer.from([9])),
    ],
  ])('closes the connection and fails its calls: %s', async (_, cause, code, violate) => {
    const { socketPath, peers } = await servePeer({
      request(connection, id) {
        if (peers.length > 1) connection.respond(id, 'hello');
        else if (id === 3) violate(connection, id);
      },
    });
    const transport = transportTo(socketPath);
    const calls = [statusOf(transport.unary(greet, 'a')), statusOf(transport.unary(greet, 'b'))];
    const [first, second] = await Promise.all(calls);
    expect(first).toMatch(/^Unavailable: Connection dropped/);
    if (code !== http2Errors.compressionError) expect(first).toContain(cause);
    expect(second).toBe(first);
    expect(await transport.unary(greet, 'c')).toBe('hello');
    const goAway = () => framesOf(peers[0] as Peer, frameTypes.goAway)[0];
    await expect.poll(() => numberOf(goAway(), 4)).toBe(code);
  });
});
