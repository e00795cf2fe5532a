import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempSocket } from '../../test/greeter.js';
import { count, errorOf, greet, statusOf, transportTo } from '../../test/text-greeter.js';
import { grpcError, grpcErrorCodes, grpcStatuses } from '../errors.js';
import { implementMethod, type ServedMethod } from '../served-method.js';
import { serveGrpc } from '../server.js';
import type { GrpcClientOptions } from './client-options.js';

/** A transport to a server of grpc-js, both for the length of the test. */
async function connected(methods: ServedMethod[], options: Partial<GrpcClientOptions> = {}) {
  const server = await serveGrpc({ socketPath: tempSocket(), methods, maxReceiveMessageBytes: 16 * 1024 * 1024 });
  onTestFinished(() => server.destroy());
  return { server, transport: transportTo(server.socketPath, options) };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/** A method that never answers, with how many of its calls run. */
function hangs() {
  const running = new Set<AbortSignal>();
  const method = implementMethod(greet, async (_, signal) => {
    running.add(signal);
    signal.addEventListener('abort', () => running.delete(signal));
    return untilAborted(signal);
  });
  return { method, running };
}

describe('a unary call to a server of grpc-js', () => {
  it('returns the response', async () => {
    const { transport } = await connected([implementMethod(greet, (name) => `hello ${name}`)]);
    const names = Array.from({ length: 100 }, (_, index) => `${index}`);
    expect(await Promise.all(names.map((name) => transport.unary(greet, name)))).toEqual(names.map((name) => `hello ${name}`));
  });

  it('fails with each status, and its description', async () => {
    const { transport } = await connected([
      implementMethod(greet, (name) => {
        throw grpcError(name as 'NotFound', `pod "a%b" ist größer: 100 % – \n\t${name} 漢字 🚀`);
      }),
    ]);
    for (const status of grpcStatuses.slice(1)) {
      expect(await statusOf(transport.unary(greet, status))).toBe(`${status}: pod "a%b" ist größer: 100 % – \n\t${status} 漢字 🚀`);
    }
  });

  it('fails with Unimplemented if the server lacks the method', async () => {
    const { transport } = await connected([]);
    expect(await statusOf(transport.unary(greet, 'a'))).toMatch(/^Unimplemented: /);
  });

  it('fails before it connects if the request cannot be encoded', async () => {
    const transport = transportTo(tempSocket());
    expect(await errorOf(transport.unary(greet, undefined as never))).toMatchObject({ message: 'nothing to encode' });
  });

  it('fails with Internal if the response cannot be decoded', async () => {
    const { transport } = await connected([implementMethod(greet, () => 'broken')]);
    expect(await statusOf(transport.unary(greet, 'a'))).toBe('Internal: Response message parsing error: no such message');
  });

  it('fails with ResourceExhausted for a response above the limit, and others are not affected', async () => {
    const { transport } = await connected([implementMethod(greet, (length) => 'x'.repeat(Number(length)))], {
      maxReceiveMessageBytes: 1000,
    });
    const [large, allowed] = await Promise.all([statusOf(transport.unary(greet, '1001')), transport.unary(greet, '1000')]);
    expect(large).toBe('ResourceExhausted: Received message larger than max (1001 vs 1000)');
    expect(allowed).toHaveLength(1000);
  });

  it('sends and receives messages larger than all windows', async () => {
    const { transport } = await connected([implementMethod(greet, (name) => name)], { maxReceiveMessageBytes: 16 * 1024 * 1024 });
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(9_000_000));
    const answers = await Promise.all(texts.map((text) => transport.unary(greet, text)));
    expect(answers.every((answer, index) => answer === texts[index])).toBe(true);
  });
});

describe('the deadline', () => {
  it('cancels a call, at the server too, and is sent to the server', async () => {
    const clock = createVirtualClock();
    const { method, running } = hangs();
    const { transport } = await connected([method], { clock });
    const call = statusOf(transport.unary(greet, 'a', { timeoutMs: 120_000 }));
    await expect.poll(() => running.size).toBe(1);
    await clock.advance(119_999);
    expect(running.size).toBe(1);
    await clock.advance(1);
    expect(await call).toBe('DeadlineExceeded: context deadline exceeded');
    await expect.poll(() => running.size).toBe(0);
  });

  it('also ends a call whose server does not respond to the connection', async () => {
    const clock = createVirtualClock();
    const socketPath = tempSocket();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    onTestFinished(() => void server.close());
    const transport = transportTo(socketPath, { clock });
    const call = statusOf(transport.unary(greet, 'a', { timeoutMs: 1000 }));
    await clock.advance(1000);
    expect(await call).toBe('DeadlineExceeded: context deadline exceeded');
    transport.close();
  });

  it('leaves no timer behind', async () => {
    const clock = createVirtualClock();
    const { transport } = await connected([implementMethod(greet, () => 'hello')], { clock });
    await transport.unary(greet, 'a', { timeoutMs: 1000 });
    expect(clock.pending).toBe(0);
  });
});

describe('the signal', () => {
  it('cancels a call with its reason, at the server too', async () => {
    const { method, running } = hangs();
    const { transport } = await connected([method]);
    const controller = new AbortController();
    const call = errorOf(transport.unary(greet, 'a', { signal: controller.signal }));
    await expect.poll(() => running.size).toBe(1);
    controller.abort('pod deleted');
    expect(await call).toBe('pod deleted');
    await expect.poll(() => running.size).toBe(0);
    expect(await errorOf(transport.unary(greet, 'a', { signal: controller.signal }))).toBe('pod deleted');
  });

  it('has no listener after the call', async () => {
    const { transport } = await connected([implementMethod(greet, () => 'hello')]);
    const { signal } = new AbortController();
    const call = transport.unary(greet, 'a', { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await call;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('close', () => {
  it('ends running calls and rejects later ones', async () => {
    const { method, running } = hangs();
    const streams = implementMethod(count, async function* (_, signal) {
      yield 'one';
      await untilAborted(signal);
    });
    const { transport } = await connected([method, streams]);
    const call = errorOf(transport.unary(greet, 'a'));
    const stream = transport.stream(count, 'a');
    expect(await stream.next()).toEqual({ done: false, value: 'one' });
    const next = errorOf(stream.next());
    await expect.poll(() => running.size).toBe(1);
    transport.close();
    transport.close();
    const later = [transport.unary(greet, 'b'), transport.stream(count, 'a').next()];
    for (const error of [await call, await next, ...(await Promise.all(later.map(errorOf)))])
      expect(error).toMatchObject({ code: grpcErrorCodes.clientClosed, message: 'the gRPC client is closed' });
    await expect.poll(() => running.size).toBe(0);
  });
});
