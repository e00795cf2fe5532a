import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callPlugin, streamPlugin } from './call.js';
import { csiNodeService } from './csi-node.js';
import { devicePluginService } from './device-plugin.js';
import { grpcStatusOf, pluginApiErrorCodes, statusError } from './errors.js';
import type { Implementation } from './method.js';
import { served, servePlugin } from './server.js';

function tempSocket(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'p.sock');
}

async function driver(implementation: Implementation<typeof csiNodeService>) {
  const server = await servePlugin(tempSocket(), [served(csiNodeService, implementation)]);
  onTestFinished(() => server.close());
  return server.socketPath;
}

const { nodeGetInfo, nodeUnpublishVolume } = csiNodeService;
const failure = (promise: Promise<unknown>) => promise.then(() => undefined).catch((error: unknown) => error);

describe('callPlugin', () => {
  it('sends the request to the plugin and returns its response', async () => {
    const seen: unknown[] = [];
    const socket = await driver({
      nodeUnpublishVolume: (request) => {
        seen.push(request);
        return {};
      },
      nodeGetInfo: () => ({ nodeId: 'n', maxVolumesPerNode: 2n ** 40n, accessibleTopology: { segments: { zone: 'a' } } }),
    });
    await callPlugin(socket, nodeUnpublishVolume, { volumeId: 'v', targetPath: '/t' }, { timeoutMs: 5000 });
    expect(seen).toEqual([{ volumeId: 'v', targetPath: '/t' }]);
    expect(await callPlugin(socket, nodeGetInfo, {}, { timeoutMs: 5000 })).toEqual({
      nodeId: 'n',
      maxVolumesPerNode: 2n ** 40n,
      accessibleTopology: { segments: { zone: 'a' } },
    });
  });

  it('rejects with the gRPC status of the plugin', async () => {
    const socket = await driver({
      nodeUnpublishVolume: () => {
        throw statusError('FailedPrecondition', 'in use');
      },
    });
    const refused = await failure(callPlugin(socket, nodeUnpublishVolume, {}, { timeoutMs: 5000 }));
    expect(grpcStatusOf(refused)).toBe('FailedPrecondition');
    expect(String(refused)).toContain('rpc error: code = FailedPrecondition desc = in use');
    expect(grpcStatusOf(await failure(callPlugin(socket, nodeGetInfo, {}, { timeoutMs: 5000 })))).toBe('Unimplemented');
  });

  it('ends at its deadline, and when its signal aborts', async () => {
    const started: string[] = [];
    const ended: string[] = [];
    const socket = await driver({
      nodeGetInfo: (_, signal) =>
        new Promise((_, reject) => {
          started.push('started');
          signal.addEventListener('abort', () => {
            ended.push('ended');
            reject(signal.reason);
          });
        }),
    });
    expect(grpcStatusOf(await failure(callPlugin(socket, nodeGetInfo, {}, { timeoutMs: 50 })))).toBe('DeadlineExceeded');
    // On a busy machine the deadline may pass before the driver receives the call.
    await expect.poll(() => ended.length).toBe(started.length);
    const before = started.length;
    const controller = new AbortController();
    const reason = new Error('enough');
    const call = failure(callPlugin(socket, nodeGetInfo, {}, { timeoutMs: 60_000, signal: controller.signal }));
    await expect.poll(() => started.length).toBe(before + 1);
    controller.abort(reason);
    expect(await call).toBe(reason);
    await expect.poll(() => ended.length).toBe(before + 1);
  });

  it('fails at once if no server listens on the socket, and with dialTimeoutMs after that time', async () => {
    const socket = tempSocket();
    expect(grpcStatusOf(await failure(callPlugin(socket, nodeGetInfo, {}, { timeoutMs: 5000 })))).toBe('Unavailable');
    const refused = await failure(callPlugin(socket, nodeGetInfo, {}, { timeoutMs: 5000, dialTimeoutMs: 100 }));
    expect(refused).toMatchObject({ code: pluginApiErrorCodes.dialFailed, retryable: true });
  });
});

describe('streamPlugin', () => {
  const { listAndWatch } = devicePluginService;
  const responses = (...ids: string[]) => ids.map((ID) => ({ devices: [{ ID, health: 'Healthy' }] }));

  it('carries the responses of a stream, and its status', async () => {
    const socketPath = tempSocket();
    const stream = async function* () {
      yield* responses('a', 'b');
      throw statusError('ResourceExhausted', 'no more devices');
    };
    const server = await servePlugin(socketPath, [served(devicePluginService, { listAndWatch: stream })]);
    onTestFinished(() => server.close());
    const seen: unknown[] = [];
    const read = async () => {
      for await (const { devices } of streamPlugin(socketPath, listAndWatch, {}, { dialTimeoutMs: 1000 })) seen.push(devices);
    };
    expect(grpcStatusOf(await failure(read()))).toBe('ResourceExhausted');
    expect(seen).toEqual([[{ ID: 'a', health: 'Healthy' }], [{ ID: 'b', health: 'Healthy' }]]);
  });

  it('ends the call when the iteration ends, and rejects with the reason of the signal', async () => {
    const socketPath = tempSocket();
    let isCanceled = false;
    const stream = async function* (_: object, signal: AbortSignal) {
      signal.addEventListener('abort', () => {
        isCanceled = true;
      });
      yield* responses('a');
      await new Promise(() => {});
    };
    const server = await servePlugin(socketPath, [served(devicePluginService, { listAndWatch: stream })]);
    onTestFinished(() => server.close());
    for await (const _ of streamPlugin(socketPath, listAndWatch, {})) break;
    await expect.poll(() => isCanceled).toBe(true);
    const reason = new Error('stopped');
    await expect(streamPlugin(socketPath, listAndWatch, {}, { signal: AbortSignal.abort(reason) }).next()).rejects.toBe(reason);
  });
});
