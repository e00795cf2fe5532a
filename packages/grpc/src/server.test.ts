import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connected, count, greet, tempSocket, untilAborted } from '../test/greeter.js';
import { grpcErrorCodes, grpcFailureOf } from './errors.js';
import { implementMethod, type ServedCallEnd } from './served-method.js';
import { serveGrpc } from './server.js';

describe('the socket', () => {
  it('has the requested mode, in a folder that the server creates, and is removed by close', async () => {
    const socketPath = join(tempSocket(), 'below', 'g.sock');
    await expect(serveGrpc({ socketPath, methods: [] })).rejects.toMatchObject({ code: grpcErrorCodes.listenFailed });
    const server = await serveGrpc({ socketPath, methods: [], makeFolder: true, mode: 0o620 });
    expect(statSync(socketPath).mode & 0o777).toBe(0o620);
    await Promise.all([server.close(), server.close()]);
    expect(existsSync(socketPath)).toBe(false);
  });

  it('is refused at a path that is too long, with what to do about it', async () => {
    const socketPath = join(tempSocket(), 'x'.repeat(100));
    const length = Buffer.byteLength(socketPath);
    for (const replace of ['stale', 'any'] as const) {
      await expect(serveGrpc({ socketPath, methods: [], replace, makeFolder: true })).rejects.toMatchObject({
        code: grpcErrorCodes.listenFailed,
        message: `cannot listen on ${socketPath}: the path has ${length} bytes; a unix socket's has at most 107`,
        hint: expect.stringContaining('shorter path'),
      });
    }
  });

  it('replaces neither a served socket nor a file, unless `replace` is `any`', async () => {
    const socketPath = tempSocket();
    writeFileSync(socketPath, 'precious');
    await expect(serveGrpc({ socketPath, methods: [] })).rejects.toMatchObject({ code: grpcErrorCodes.socketPathTaken });
    const other = createServer();
    const busy = tempSocket();
    await new Promise<void>((resolve) => other.listen(busy, resolve));
    onTestFinished(() => void other.close());
    await expect(serveGrpc({ socketPath: busy, methods: [] })).rejects.toMatchObject({ code: grpcErrorCodes.socketInUse });
    await (await serveGrpc({ socketPath, methods: [], replace: 'any' })).destroy();
    expect(existsSync(socketPath)).toBe(false);
  });

  it('is not taken from a process that is too busy to accept connections', async () => {
    const socketPath = tempSocket();
    const busy = spawn(process.execPath, ['-e', listenAndBlock, socketPath], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void busy.kill('SIGKILL'));
    await once(busy.stdout, 'data');
    for (const waiting of [connect(socketPath), connect(socketPath)]) {
      onTestFinished(() => void waiting.destroy());
      await once(waiting, 'connect');
    }
    await expect(serveGrpc({ socketPath, methods: [] })).rejects.toMatchObject({
      code: grpcErrorCodes.listenFailed,
      message: expect.stringContaining('EAGAIN'),
    });
    expect(existsSync(socketPath)).toBe(true);
  });
});

/** A connection to a server without methods, whose pings are sent when the test lets time pass. */
async function connectOnFakeTime(): Promise<Socket> {
  const socketPath = tempSocket();
  const server = await serveGrpc({ socketPath, methods: [] });
  onTestFinished(() => server.destroy());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const socket = connect(socketPath);
  onTestFinished(() => void socket.destroy());
  return socket;
}

describe('a connection', () => {
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');

  it('with 100 open calls gets no further ones', async () => {
    let running = 0;
    const { client } = await connected([
      implementMethod(greet, async (_, signal) => {
        running++;
        await untilAborted(signal);
      }),
    ]);
    await client.connect({ timeoutMs: 5_000 });
    const calls = Array.from({ length: 120 }, () => client.unary(greet, 'a', { timeoutMs: 300 }).catch(grpcFailureOf));
    await expect.poll(() => running).toBe(100);
    await Promise.all(calls);
  });

  it('that violates the protocol is closed within three minutes, although Node 20 forgets it', async () => {
    const socket = await connectOnFakeTime();
    const closed = once(socket, 'close');
    socket.on('error', () => {});
    socket.write(preface);
    await once(socket, 'data');
    // DATA outside a stream: the server sends GOAWAY.
    socket.write(Buffer.from([0, 0, 1, 0, 0, 0, 0, 0, 0, 97]));
    const isGoAway = (bytes: Buffer) => bytes[3] === 7;
    await new Promise<void>((resolve) => {
      socket.on('data', (bytes: Buffer) => isGoAway(bytes) && resolve());
      socket.once('close', () => resolve());
    });
    await vi.advanceTimersByTimeAsync(180_000);
    await closed;
  });

  it('keeps its calls if it answers a ping late, as on a machine that stalls', async () => {
    const socket = await connectOnFakeTime();
    const isPing = (bytes: Buffer) => bytes.length === 17 && bytes[3] === 6 && bytes[4] === 0;
    const nextPing = () =>
      new Promise<Buffer>((resolve, reject) => {
        socket.once('close', () => reject(new Error('the server closed the connection')));
        socket.on('data', (bytes: Buffer) => isPing(bytes) && resolve(bytes));
      });
    const first = nextPing();
    socket.write(preface);
    await once(socket, 'data');
    await vi.advanceTimersByTimeAsync(60_000);
    const ping = await first;
    await vi.advanceTimersByTimeAsync(100_000);
    const second = nextPing();
    ping[4] = 1;
    socket.write(ping);
    await vi.advanceTimersByTimeAsync(60_000);
    await second;
  });
});

/** Listens with a backlog of 1, which holds two connections, and accepts none. */
const listenAndBlock = `
require('node:net').createServer().listen({ path: process.argv[1], backlog: 1 }, () => {
  require('node:fs').writeSync(1, 'listening');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

describe('a call', () => {
  it('fails with the status of `statusOf` if its implementation throws', async () => {
    const { client } = await connected(
      [
        implementMethod(greet, () => {
          throw new Error('no such name');
        }),
      ],
      { statusOf: (error) => ({ code: 5, description: String(error) }) },
    );
    await expect(client.unary(greet, 'a')).rejects.toMatchObject({ details: { status: 'NotFound', description: 'Error: no such name' } });
  });

  it('fails with Unknown for any other error, and with Internal if the request cannot be decoded', async () => {
    const { client } = await connected([
      implementMethod(greet, () => {
        throw new Error('no such name');
      }),
    ]);
    await expect(client.unary(greet, 'a')).rejects.toMatchObject({ details: { status: 'Unknown', description: 'no such name' } });
    await expect(client.unary(greet, 'broken')).rejects.toMatchObject({ details: { status: 'Internal' } });
  });

  it('is reported with its outcome', async () => {
    const clock = createVirtualClock();
    const ends: ServedCallEnd[] = [];
    const onEnd = (end: ServedCallEnd) => void ends.push(end);
    const greeting = async () => {
      await clock.advance(7);
      return 'hello';
    };
    const counting = async function* () {
      yield 1;
      throw new Error('enough');
    };
    const { client } = await connected([implementMethod(greet, greeting, onEnd), implementMethod(count, counting, onEnd)], { clock });
    await client.unary(greet, 'a');
    await expect(client.stream(count, 3).next()).resolves.toMatchObject({ value: 1 });
    await expect.poll(() => ends.length).toBe(2);
    expect(ends).toEqual([
      { request: 'a', response: 'hello', milliseconds: 7 },
      { request: 3, messages: 1, error: expect.objectContaining({ message: 'enough' }), milliseconds: 0 },
    ]);
  });
});

describe('a stream', () => {
  it('delivers in order, ends the iterator of the server when the reader stops, and can be returned before it starts', async () => {
    let ended = 0;
    const { client } = await connected([
      implementMethod(count, async function* (limit) {
        try {
          for (let i = 1; i <= (limit as number); i++) yield i;
        } finally {
          ended++;
        }
      }),
    ]);
    const seen: unknown[] = [];
    for await (const number of client.stream(count, 50)) seen.push(number);
    expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    for await (const _ of client.stream(count, 100_000)) break;
    await expect.poll(() => ended).toBe(2);
    const unread = client.stream(count, 1);
    expect(await unread.return()).toEqual({ done: true, value: undefined });
    expect(await unread.next()).toEqual({ done: true, value: undefined });
    const abandoned = client.stream(count, 100_000);
    const [first] = await Promise.all([abandoned.next(), abandoned.return()]);
    expect(first).toEqual({ done: true, value: undefined });
  });
});

describe('close', () => {
  it('ends streams immediately and unary calls after the grace period', async () => {
    const clock = createVirtualClock();
    const signals: AbortSignal[] = [];
    const { server, client } = await connected(
      [
        implementMethod(greet, (_, signal) => {
          signals.push(signal);
          return new Promise(() => {});
        }),
        implementMethod(count, async function* (_, signal) {
          signals.push(signal);
          yield await untilAborted(signal);
        }),
      ],
      { clock },
    );
    const call = client.unary(greet, 'a');
    const stream = client.stream(count, 1).next();
    for (const running of [call, stream]) running.catch(() => {});
    await expect.poll(() => signals.length).toBe(2);
    const closing = server.close({ gracePeriodMs: 3000 });
    await expect(stream).rejects.toMatchObject({ details: { status: 'Unavailable', description: 'the server is closing' } });
    await clock.advance(2999);
    expect(signals.map(({ aborted }) => aborted).sort()).toEqual([false, true]);
    await clock.advance(1);
    await expect(call).rejects.toMatchObject({ details: { status: 'Unavailable' } });
    await closing;
  });

  it('destroy ends running calls immediately', async () => {
    let reason: unknown;
    let isStarted = false;
    const { server, client } = await connected([
      implementMethod(greet, async (_, signal) => {
        isStarted = true;
        return untilAborted(signal).catch((error) => {
          reason = error;
        });
      }),
    ]);
    const call = client.unary(greet, 'a');
    call.catch(() => {});
    await expect.poll(() => isStarted).toBe(true);
    await server.destroy();
    await expect(call).rejects.toMatchObject({ code: grpcErrorCodes.callFailed });
    await expect.poll(() => grpcFailureOf(reason)?.status).toBe('Canceled');
    expect(existsSync(server.socketPath)).toBe(false);
  });
});
