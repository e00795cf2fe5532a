import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { collect, tempSocket } from '../test/temp-socket.js';
import { createCriClient } from './client.js';
import { criError } from './errors.js';
import { type RecordedCriCall, recordCri, recordedCall } from './recorder.js';
import { type CriImplementation, serveCri } from './server.js';

/** A client of a recorder before a runtime, and what was recorded. */
async function recorded(runtime: CriImplementation, fails = false) {
  const calls: RecordedCriCall[] = [];
  const server = await serveCri(runtime, { socket: tempSocket(), gracePeriodMs: 0 });
  const recorder = await recordCri({
    endpoint: server.socket,
    socket: `unix://${tempSocket()}`,
    onCall(call) {
      calls.push(call);
      if (fails) throw new Error('the disk is full');
    },
  });
  const client = createCriClient({ endpoint: recorder.socket });
  onTestFinished(async () => {
    client.close();
    await recorder.close();
    await server.close();
  });
  return { client, calls, server };
}

describe('a recorder', () => {
  it('forwards requests and responses unchanged, and records them as plain JSON', async () => {
    let asked: unknown;
    const { client, calls } = await recorded({
      runtime: {
        async execSync(request) {
          asked = request;
          return { stdout: new TextEncoder().encode('hi'), stderr: new Uint8Array(), exitCode: 3 };
        },
      },
    });
    const before = Date.now();
    const answer = await client.runtime.execSync({ containerId: 'c', cmd: ['ls'], timeout: 9_007_199_254_740_993n });
    expect(asked).toEqual({ containerId: 'c', cmd: ['ls'], timeout: 9_007_199_254_740_993n });
    expect(new TextDecoder().decode(answer.stdout)).toBe('hi');
    expect(JSON.parse(JSON.stringify(calls))).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        milliseconds: expect.any(Number),
        service: 'RuntimeService',
        method: 'ExecSync',
        request: { containerId: 'c', cmd: ['ls'], timeout: '9007199254740993' },
        response: { stdout: 'aGk=', stderr: '', exitCode: 3 },
      },
    ]);
    expect(Math.abs(Date.parse(calls[0]?.at ?? '') - before)).toBeLessThan(10_000);
  });

  it('forwards and records the errors of the runtime', async () => {
    const missing = async () => {
      throw criError('CRI_NOT_FOUND', 'no such container');
    };
    const { client, calls, server } = await recorded({ runtime: { startContainer: missing } });
    await expect(client.runtime.startContainer({ containerId: 'c' })).rejects.toMatchObject({
      code: 'CRI_NOT_FOUND',
      message: 'no such container',
    });
    await expect(client.runtime.stopContainer({ containerId: 'c' })).rejects.toMatchObject({ code: 'CRI_UNIMPLEMENTED' });
    await server.close();
    await expect(client.runtime.startContainer({ containerId: 'c' })).rejects.toMatchObject({ code: 'CRI_UNAVAILABLE' });
    expect(calls.map(({ method, error }) => `${method} ${error?.code}`)).toEqual([
      'StartContainer CRI_NOT_FOUND',
      'StopContainer CRI_UNIMPLEMENTED',
      'StartContainer CRI_UNAVAILABLE',
    ]);
    expect(calls[0]?.error?.message).toBe('no such container');
  });

  it('forwards a cancellation to the runtime', async () => {
    let cancelled: (reason: unknown) => void = () => {};
    const runtimeCancelled = new Promise((resolve) => {
      cancelled = resolve;
    });
    let arrived: () => void = () => {};
    const atRuntime = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { client } = await recorded({
      runtime: {
        stopContainer: (_, options) => {
          options?.signal?.addEventListener('abort', () => cancelled('yes'));
          arrived();
          return new Promise(() => {});
        },
      },
    });
    const controller = new AbortController();
    const call = client.runtime.stopContainer({ containerId: 'c' }, { signal: controller.signal });
    await atRuntime;
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect(await runtimeCancelled).toBe('yes');
  });

  it('forwards streams and counts their messages', async () => {
    const { client, calls } = await recorded({
      runtime: {
        async *getContainerEvents() {
          for (const containerId of ['a', 'b']) {
            yield { containerId, containerEventType: 'CONTAINER_STARTED_EVENT', createdAt: 1n, containersStatuses: [] };
          }
        },
      },
    });
    expect((await collect(client.runtime.getContainerEvents({}))).map(({ containerId }) => containerId)).toEqual(['a', 'b']);
    expect(calls).toMatchObject([{ method: 'GetContainerEvents', messages: 2 }]);
    expect(calls[0]).not.toHaveProperty('response');
  });

  it('does not fail a call if recording it fails', async () => {
    const { client, calls } = await recorded({ runtime: { removeContainer: async () => ({}) } }, true);
    await expect(client.runtime.removeContainer({ containerId: 'c' })).resolves.toEqual({});
    expect(calls).toHaveLength(1);
  });

  it('closes its client if it cannot listen', async () => {
    await expect(recordCri({ endpoint: '/nowhere.sock', socket: 'relative.sock', onCall: () => {} })).rejects.toMatchObject({
      code: 'CRI_ENDPOINT_INVALID',
    });
  });
});

it('omits the credentials of a pull, and records the start time of the call', () => {
  const { now } = createVirtualClock({ start: Date.UTC(2026, 0, 1) });
  const request = { image: { image: 'a:1' }, auth: { username: 'u', password: 'secret' } };
  const call = recordedCall({ service: 'ImageService', method: 'PullImage', request, response: {}, milliseconds: 1_500 }, now());
  expect(call).toEqual({
    at: '2025-12-31T23:59:58.500Z',
    milliseconds: 1_500,
    service: 'ImageService',
    method: 'PullImage',
    request: { image: { image: 'a:1' } },
    response: {},
  });
});
