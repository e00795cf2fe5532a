import { existsSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { collect, connected, tempSocket } from '../test/temp-socket.js';
import type { CriCallRecord } from './call-record.js';
import { createCriClient } from './client.js';
import { criError } from './errors.js';
import { serveCri } from './server.js';

const removeContainer = async () => ({});

describe('the socket', () => {
  it('is accessible only for its owner by default, and is removed by close', async () => {
    const socket = tempSocket();
    const server = await serveCri({}, { socket: `unix://${socket}` });
    expect(server.socket).toBe(socket);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    await server.close();
    await server.close();
    expect(existsSync(socket)).toBe(false);
  });

  it('has the requested mode, in a folder that the server creates', async () => {
    const socket = join(tempSocket(), 'run', 'cri.sock');
    const server = await serveCri({}, { socket, mode: 0o660 });
    expect(statSync(socket).mode & 0o777).toBe(0o660);
    await server.close();
  });

  it('replaces a stale socket', async () => {
    const socket = tempSocket();
    const { spawnSync } = await import('node:child_process');
    const listenAndDie = `require('net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', listenAndDie]);
    expect(existsSync(socket)).toBe(true);
    const client = createCriClient({ endpoint: socket });
    await expect(client.runtime.status({})).rejects.toMatchObject({
      code: 'CRI_UNAVAILABLE',
      hint: expect.stringContaining('No process listens'),
    });
    client.close();
    const server = await serveCri({ runtime: { removeContainer } }, { socket });
    const again = createCriClient({ endpoint: socket });
    expect(await again.runtime.removeContainer({})).toEqual({});
    again.close();
    await server.close();
  });

  it('is not replaced while another process serves it', async () => {
    const socket = tempSocket();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(socket, resolve));
    onTestFinished(() => void other.close());
    await expect(serveCri({}, { socket })).rejects.toMatchObject({ code: 'CRI_SOCKET_IN_USE', details: { socket } });
    expect(existsSync(socket)).toBe(true);
  });

  it('does not replace a file, and reports other obstacles', async () => {
    const socket = tempSocket();
    writeFileSync(socket, 'precious');
    await expect(serveCri({}, { socket })).rejects.toMatchObject({ code: 'CRI_SOCKET_PATH_TAKEN' });
    await expect(serveCri({}, { socket: join(socket, 'below') })).rejects.toMatchObject({ code: 'CRI_LISTEN_FAILED' });
    await expect(serveCri({}, { socket: 'relative.sock' })).rejects.toMatchObject({ code: 'CRI_ENDPOINT_INVALID' });
    await expect(serveCri({}, { socket, gracePeriodMs: Number.NaN })).rejects.toMatchObject({
      code: 'InvalidOption',
      details: { field: 'gracePeriodMs' },
    });
  });
});

describe('close', () => {
  it('lets running calls finish and ends streams', async () => {
    const socket = tempSocket();
    let finish: () => void = () => {};
    let started = 0;
    const server = await serveCri(
      {
        runtime: {
          stopContainer: () =>
            new Promise((resolve) => {
              finish = () => resolve({});
              started++;
            }),
          async *getContainerEvents(_, options) {
            started++;
            await new Promise((resolve) => options?.signal?.addEventListener('abort', resolve));
            yield* [];
          },
        },
      },
      { socket },
    );
    const client = createCriClient({ endpoint: socket });
    onTestFinished(() => client.close());
    const stop = client.runtime.stopContainer({});
    const events = collect(client.runtime.getContainerEvents({}));
    events.catch(() => {});
    await expect.poll(() => started).toBe(2);
    let closed = false;
    const closing = server.close().then(() => {
      closed = true;
    });
    await expect(events).rejects.toMatchObject({ code: 'CRI_UNAVAILABLE', message: 'the CRI server is closing' });
    expect(closed).toBe(false);
    finish();
    expect(await stop).toEqual({});
    await closing;
  });

  it('waits at most for the grace period', async () => {
    const clock = createVirtualClock();
    const socket = tempSocket();
    let resolveStarted: (signal: AbortSignal | undefined) => void = () => {};
    const started = new Promise<AbortSignal | undefined>((resolve) => {
      resolveStarted = resolve;
    });
    const server = await serveCri(
      {
        runtime: {
          stopContainer: (_, options) => {
            resolveStarted(options?.signal);
            return new Promise(() => {});
          },
        },
      },
      { socket, clock, gracePeriodMs: 3000 },
    );
    const client = createCriClient({ endpoint: socket });
    onTestFinished(() => client.close());
    const stop = client.runtime.stopContainer({});
    stop.catch(() => {});
    const signal = await started;
    const closing = server.close();
    await clock.advance(2999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(signal?.reason).toMatchObject({ code: 'CRI_UNAVAILABLE' });
    await closing;
    await expect(stop).rejects.toMatchObject({ code: 'CRI_UNAVAILABLE' });
  });
});

describe('onCall', () => {
  it('receives every call with its outcome and duration', async () => {
    const clock = createVirtualClock();
    const calls: CriCallRecord[] = [];
    const client = await connected(
      {
        runtime: {
          removeContainer: async () => {
            await clock.advance(7);
            return {};
          },
          startContainer: async () => {
            throw criError('CRI_NOT_FOUND', 'not found');
          },
          async *streamContainers() {
            yield { containers: [] };
            yield { containers: [] };
            throw new Error('enough');
          },
        },
      },
      {},
      { clock, onCall: (call) => calls.push(call) },
    );
    await client.runtime.removeContainer({ containerId: 'a' });
    await client.runtime.startContainer({ containerId: 'b' }).catch(() => {});
    await collect(client.runtime.streamContainers({})).catch(() => {});
    const common = { service: 'RuntimeService' };
    expect(calls).toEqual([
      { ...common, method: 'RemoveContainer', request: { containerId: 'a' }, response: {}, milliseconds: 7 },
      {
        ...common,
        method: 'StartContainer',
        request: { containerId: 'b' },
        error: expect.objectContaining({ message: 'not found' }),
        milliseconds: 0,
      },
      {
        ...common,
        method: 'StreamContainers',
        request: {},
        messages: 2,
        error: expect.objectContaining({ message: 'enough' }),
        milliseconds: 0,
      },
    ]);
  });
});

describe('an implementation', () => {
  it('can be a class with state, or another client', async () => {
    class Counting {
      #calls = 0;
      async updateRuntimeConfig() {
        this.#calls++;
        return {};
      }
      async containerStatus() {
        return { info: { calls: String(this.#calls) } };
      }
    }
    const first = await connected({ runtime: new Counting() });
    const proxied = await connected({ runtime: first.runtime });
    await proxied.runtime.updateRuntimeConfig({});
    expect((await proxied.runtime.containerStatus({})).info).toEqual({ calls: '1' });
    await expect(proxied.runtime.status({})).rejects.toMatchObject({ code: 'CRI_UNIMPLEMENTED' });
  });
});

it('answers further calls while hundreds of one agent hang', async () => {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let waiting = 0;
  const stopContainer = async () => {
    waiting++;
    await ended;
    return {};
  };
  const socket = tempSocket();
  const server = await serveCri({ runtime: { stopContainer, removeContainer } }, { socket });
  const client = createCriClient({ endpoint: socket });
  onTestFinished(async () => {
    client.close();
    await server.close();
  });
  const stops = Array.from({ length: 500 }, () => client.runtime.stopContainer({}));
  await expect.poll(() => waiting).toBe(500);
  expect(await client.runtime.removeContainer({})).toEqual({});
  end();
  await Promise.all(stops);
});
