import { createServer } from 'node:net';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempSocket } from '../../test/greeter.js';
import { servePeer } from '../../test/http2-peer.js';
import { greet, statusOf, transportTo } from '../../test/text-greeter.js';
import { implementMethod } from '../served-method.js';
import { serveGrpc } from '../server.js';
import { http2Errors } from './frames.js';

const hello = implementMethod(greet, (name) => `hello ${name}`);

/** How many pipes keep the process alive. */
const activePipes = () => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;

describe('the first call', () => {
  it('fails with Unavailable and the cause if no process listens', async () => {
    const socketPath = tempSocket();
    expect(await statusOf(transportTo(socketPath).unary(greet, 'a'))).toBe(
      `Unavailable: No connection established. Last error: connect ENOENT ${socketPath}`,
    );
  });

  it('reports a path that is too long for a socket', async () => {
    const socketPath = `${tempSocket()}/${'x'.repeat(100)}`;
    expect(await statusOf(transportTo(socketPath).unary(greet, 'a'))).toMatch(/^Unavailable: .*the path has \d+ bytes/);
  });

  it('fails with Unavailable if the process closes the connection, as after any lost connection', async () => {
    const { socketPath } = await servePeer({ connected: ({ socket }) => socket.end() });
    expect(await statusOf(transportTo(socketPath).unary(greet, 'a'))).toBe('Unavailable: Connection dropped');
  });

  it('fails with Unavailable if the process speaks something else', async () => {
    const { socketPath } = await servePeer({ connected: ({ socket }) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n') });
    expect(await statusOf(transportTo(socketPath).unary(greet, 'a'))).toBe('Unavailable: Connection dropped: frame of 4740180 bytes');
  });
});

describe('attempts to connect', () => {
  it('are delayed after a failure, and calls fail immediately meanwhile', async () => {
    const clock = createVirtualClock();
    const socketPath = tempSocket();
    const transport = transportTo(socketPath, { clock });
    const unavailable = `Unavailable: No connection established. Last error: connect ENOENT ${socketPath}`;
    expect(await statusOf(transport.unary(greet, 'a'))).toBe(unavailable);
    const server = await serveGrpc({ socketPath, methods: [hello] });
    onTestFinished(() => server.destroy());
    await clock.advance(99);
    expect(await statusOf(transport.unary(greet, 'a'))).toBe(unavailable);
    await clock.advance(1);
    expect(await transport.unary(greet, 'a')).toBe('hello a');
  });

  it.each([
    [0.5, [100, 160, 256, 410, 656, 1000, 1000]],
    [0, [100, 128, 164, 210, 269, 344, 440]],
    [1, [100, 192, 369, 708, 1200, 1200, 1200]],
  ])('have growing delays that vary at random (%d)', async (random, delays) => {
    const clock = createVirtualClock();
    const { socketPath, peers } = await servePeer({ connected: ({ socket }) => socket.destroy() });
    const transport = transportTo(socketPath, { clock, random: () => random });
    await statusOf(transport.unary(greet, 'a'));
    const measured: number[] = [];
    for (let attempt = 0; attempt < delays.length; attempt++) {
      const { length } = peers;
      let waited = 0;
      while (peers.length === length) {
        await clock.advance(1);
        waited++;
        await statusOf(transport.unary(greet, 'a'));
      }
      measured.push(waited);
    }
    expect(measured).toEqual(delays);
  });

  it('have the shortest delay again after a connection was ready', async () => {
    const clock = createVirtualClock();
    let isUp = false;
    const { socketPath, peers } = await servePeer({
      connected: (peer) => (isUp ? peer.settings() : void peer.socket.destroy()),
      request: (peer, id) => peer.respond(id, 'hello'),
    });
    const transport = transportTo(socketPath, { clock });
    for (let attempt = 0; attempt < 5; attempt++) {
      await statusOf(transport.unary(greet, 'a'));
      await clock.advance(1000);
    }
    isUp = true;
    expect(await transport.unary(greet, 'a')).toBe('hello');
    isUp = false;
    const connection = peers.at(-1);
    const closed = new Promise((resolve) => connection?.socket.on('close', resolve));
    connection?.goAway(0);
    await closed;
    expect(await statusOf(transport.unary(greet, 'a'))).toBe('Unavailable: Connection dropped');
    isUp = true;
    await clock.advance(99);
    expect(await statusOf(transport.unary(greet, 'a'))).toMatch(/^Unavailable: No connection established/);
    await clock.advance(1);
    expect(await transport.unary(greet, 'a')).toBe('hello');
  });

  it('are shared by concurrent calls', async () => {
    const { socketPath, peers } = await servePeer({ request: (peer, id) => peer.respond(id, `${id}`) });
    const transport = transportTo(socketPath);
    expect(await Promise.all([1, 2, 3].map(() => transport.unary(greet, 'a')))).toEqual(['1', '3', '5']);
    expect(peers).toHaveLength(1);
  });
});

describe('a lost connection', () => {
  it('fails its calls with Unavailable; the next call opens another at once', async () => {
    const { socketPath } = await servePeer({
      request(peer, id, headers) {
        if (headers.has('grpc-timeout')) peer.respond(id, 'hello');
        else if (id === 3) peer.socket.destroy();
      },
    });
    const transport = transportTo(socketPath, { clock: createVirtualClock() });
    const calls = ['a', 'b'].map((name) => statusOf(transport.unary(greet, name)));
    expect(await Promise.all(calls)).toEqual(['Unavailable: Connection dropped', 'Unavailable: Connection dropped']);
    expect(await transport.unary(greet, 'c', { timeoutMs: 1000 })).toBe('hello');
  });
});

describe('a call that the server refuses', () => {
  it('is sent once more', async () => {
    const { socketPath } = await servePeer({
      request: (peer, id) => (id < 3 ? peer.reset(id, http2Errors.refusedStream) : peer.respond(id, `${id}`)),
    });
    expect(await transportTo(socketPath).unary(greet, 'a')).toBe('3');
  });

  it('fails with Unavailable if the server refuses it again', async () => {
    const requests: number[] = [];
    const { socketPath } = await servePeer({
      request(peer, id) {
        requests.push(id);
        peer.reset(id, http2Errors.refusedStream);
      },
    });
    expect(await statusOf(transportTo(socketPath).unary(greet, 'a'))).toBe('Unavailable: Stream refused by server');
    expect(requests).toEqual([1, 3]);
  });
});

describe('after GOAWAY', () => {
  it('the calls that the server processes complete, all others use a new connection', async () => {
    const { socketPath, peers } = await servePeer({
      connected: (peer) => peer.settings([3, 3]),
      request(peer, id) {
        if (peer !== peers[0]) peer.respond(id, `second connection ${id}`);
        else if (id === 5) peer.goAway(3);
      },
    });
    const transport = transportTo(socketPath);
    const call = (name: string) => transport.unary(greet, name);
    const warmUp = call('a');
    await expect.poll(() => peers[0]?.received.length).toBeGreaterThan(2);
    const calls = [warmUp, ...['b', 'c', 'd'].map(call)];
    expect(await Promise.all(calls.slice(2))).toEqual(['second connection 1', 'second connection 3']);
    expect(await call('e')).toBe('second connection 5');
    let closed = false;
    peers[0]?.socket.on('close', () => {
      closed = true;
    });
    peers[0]?.respond(1, 'first connection 1');
    expect(await calls[0]).toBe('first connection 1');
    expect(closed).toBe(false);
    peers[0]?.respond(3, 'first connection 3');
    expect(await calls[1]).toBe('first connection 3');
    await expect.poll(() => closed).toBe(true);
  });

  it('an idle connection closes, and the next call opens another', async () => {
    const { socketPath, peers, peer } = await servePeer({ request: (connection, id) => connection.respond(id, 'hello') });
    const transport = transportTo(socketPath);
    await transport.unary(greet, 'a');
    const first = await peer(0);
    const closed = new Promise((resolve) => first.socket.on('close', resolve));
    first.goAway(2 ** 31 - 1);
    await closed;
    expect(await transport.unary(greet, 'a')).toBe('hello');
    expect(peers).toHaveLength(2);
  });
});

describe('an idle connection', () => {
  it('does not keep the process alive, a running call does', async () => {
    const { socketPath, peer } = await servePeer({});
    const transport = transportTo(socketPath);
    const call = transport.unary(greet, 'a');
    const connection = await peer(0);
    await expect.poll(() => connection.received.length).toBeGreaterThan(2);
    const during = activePipes();
    connection.respond(1, 'hello');
    await call;
    expect(activePipes()).toBe(during - 1);
  });

  it('has no timer', async () => {
    const clock = createVirtualClock();
    const { socketPath } = await servePeer({ request: (peer, id) => peer.respond(id, 'hello') });
    await transportTo(socketPath, { clock }).unary(greet, 'a', { timeoutMs: 1000 });
    expect(clock.pending).toBe(0);
  });
});

describe('a listening process that does not accept', () => {
  it('lets calls wait until they are cancelled', async () => {
    const socketPath = tempSocket();
    const server = createServer((socket) => socket.pause());
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    const transport = transportTo(socketPath);
    onTestFinished(() => void server.close());
    const controller = new AbortController();
    const call = transport.unary(greet, 'a', { signal: controller.signal });
    setTimeout(() => controller.abort('enough'), 20);
    await expect(call).rejects.toBe('enough');
    transport.close();
  });
});
