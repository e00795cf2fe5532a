import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connected, count, greet, tempSocket, untilAborted } from '../../test/greeter.js';
import { grpcError, grpcErrorCodes, grpcFailureOf, grpcStatuses } from '../errors.js';
import { implementMethod } from '../served-method.js';
import { serveGrpc } from '../server.js';
import { createGrpcClient } from './client.js';

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a unary call', () => {
  it('sends the request and returns the response', async () => {
    const { client } = await connected([implementMethod(greet, (name) => `hello ${name}`)]);
    expect(await Promise.all(['a', 'b'].map((name) => client.unary(greet, name)))).toEqual(['hello a', 'hello b']);
  });

  it('fails with the status that the server returns', async () => {
    const { client } = await connected([
      implementMethod(greet, (name) => {
        throw grpcError(name as 'NotFound', `because ${name}`);
      }),
    ]);
    for (const [code, status] of grpcStatuses.entries()) {
      if (code === 0) continue;
      const error = await failure(client.unary(greet, status));
      expect(error).toMatchObject({
        code: grpcErrorCodes.callFailed,
        message: `rpc error: code = ${status} desc = because ${status}`,
        retryable: status === 'Unavailable' || status === 'Aborted',
      });
      expect(grpcFailureOf(error)).toEqual({ code, status, description: `because ${status}` });
    }
    expect(grpcFailureOf(new Error('other'))).toBeUndefined();
  });

  it('fails with Unimplemented if the server lacks the method', async () => {
    const { client } = await connected([]);
    expect(grpcFailureOf(await failure(client.unary(greet, 'a')))?.status).toBe('Unimplemented');
  });

  it('fails before it connects if the request cannot be encoded', async () => {
    const client = createGrpcClient({ socketPath: tempSocket() });
    await expect(client.unary(greet, undefined)).rejects.toThrow('nothing to encode');
  });

  it('fails with Internal if the response cannot be decoded', async () => {
    const { client } = await connected([implementMethod(greet, () => 'broken')]);
    expect(grpcFailureOf(await failure(client.unary(greet, 'a')))).toMatchObject({
      status: 'Internal',
      description: expect.stringContaining('no such message'),
    });
  });

  it('fails with ResourceExhausted for a response above the limit', async () => {
    const { server } = await connected([implementMethod(greet, () => 'x'.repeat(2000))]);
    const client = createGrpcClient({ socketPath: server.socketPath, maxReceiveMessageBytes: 1000 });
    onTestFinished(() => client.close());
    expect(grpcFailureOf(await failure(client.unary(greet, 'a')))?.status).toBe('ResourceExhausted');
  });

  it('is cancelled at its deadline and by its signal, at the server too', async () => {
    const reasons: unknown[] = [];
    const received: unknown[] = [];
    const { client } = await connected([
      implementMethod(greet, async (name, signal) => {
        received.push(name);
        signal.addEventListener('abort', () => reasons.push(grpcFailureOf(signal.reason)?.status));
        return untilAborted(signal);
      }),
    ]);
    // The first call connects; on a busy machine its deadline may pass before the server receives it.
    await failure(client.unary(greet, 'a', { timeoutMs: 1000 }));
    expect(grpcFailureOf(await failure(client.unary(greet, 'b', { timeoutMs: 50 })))?.status).toBe('DeadlineExceeded');
    const signal = AbortSignal.abort('enough');
    expect(await failure(client.unary(greet, 'c', { signal }))).toBe('enough');
    const controller = new AbortController();
    const call = failure(client.unary(greet, 'd', { signal: controller.signal }));
    const before = reasons.length;
    await expect.poll(() => received).toContain('d');
    controller.abort('no longer needed');
    expect(await call).toBe('no longer needed');
    await expect.poll(() => reasons.length).toBeGreaterThan(before);
    expect(new Set(reasons)).toEqual(new Set(['Canceled']));
  });

  it('leaves no listener on its signal when it has ended', async () => {
    const { signal } = new AbortController();
    const { client } = await connected([implementMethod(greet, () => 'hello')]);
    await client.unary(greet, 'a', { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('fails with Unavailable and the cause if no process listens', async () => {
    const client = createGrpcClient({ socketPath: tempSocket() });
    onTestFinished(() => client.close());
    expect(grpcFailureOf(await failure(client.unary(greet, 'a')))).toMatchObject({
      status: 'Unavailable',
      description: expect.stringContaining('connect ENOENT'),
    });
  });
});

it('leaves no listener on the signal of a stream that has ended or was cancelled', async () => {
  const { signal } = new AbortController();
  const { client } = await connected([
    implementMethod(count, async function* () {
      yield* [1, 2];
    }),
  ]);
  const numbers: unknown[] = [];
  for await (const number of client.stream(count, 2, { signal })) numbers.push(number);
  expect(numbers).toEqual([1, 2]);
  for await (const _ of client.stream(count, 2, { signal })) break;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

describe('connect', () => {
  it('waits until a server listens', async () => {
    const socketPath = tempSocket();
    const client = createGrpcClient({ socketPath, reconnectDelayMs: { min: 20, max: 50 } });
    onTestFinished(() => client.close());
    const connecting = client.connect({ timeoutMs: 10_000 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const server = await serveGrpc({ socketPath, methods: [implementMethod(greet, () => 'hello')] });
    onTestFinished(() => server.destroy());
    await connecting;
    expect(await client.unary(greet, 'a')).toBe('hello');
  });

  it('fails at its timeout, when its signal aborts, and when the client closes', async () => {
    const socketPath = tempSocket();
    const client = createGrpcClient({ socketPath });
    expect(await failure(client.connect({ timeoutMs: 50 }))).toMatchObject({ code: grpcErrorCodes.dialFailed, retryable: true });
    const controller = new AbortController();
    const connecting = failure(client.connect({ timeoutMs: 60_000, signal: controller.signal }));
    setTimeout(() => controller.abort('enough'), 20);
    expect(await connecting).toBe('enough');
    const closing = failure(client.connect({ timeoutMs: 60_000 }));
    setTimeout(() => client.close(), 20);
    expect(await closing).toMatchObject({ code: grpcErrorCodes.clientClosed });
  });
});

describe('close', () => {
  it('ends running calls and rejects later ones', async () => {
    const { client } = await connected([
      implementMethod(greet, (_, signal) => untilAborted(signal)),
      implementMethod(count, async function* (_, signal) {
        yield 1;
        await untilAborted(signal);
      }),
    ]);
    const running = failure(client.unary(greet, 'a'));
    const stream = client.stream(count, 1);
    expect(await stream.next()).toEqual({ done: false, value: 1 });
    const next = failure(stream.next());
    client.close();
    client.close();
    for (const error of [await running, await next, await failure(client.unary(greet, 'b'))])
      expect(error).toMatchObject({ code: grpcErrorCodes.clientClosed });
  });
});
