import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VolumeSpec } from '@nodeagent/api';
import { createCsi } from '@nodeagent/csi/node';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';

const { signal } = new AbortController();
const setUpOptions = { isRemount: false, reconstructed: false, signal };
const pod = buildPod({ name: 'web', uid: 'u1' });
const volumeOf = (driver: string): VolumeSpec => ({
  persistentVolume: { metadata: { name: `pv-${driver}` }, spec: { accessModes: ['ReadWriteOnce'], csi: { driver, volumeHandle: 'v' } } },
  readOnly: false,
});

type Answer = (method: string, request: { targetPath?: string }) => Promise<unknown>;
const capabilities = ['STAGE_UNSTAGE_VOLUME', 'GET_VOLUME_STATS', 'VOLUME_CONDITION'].map((type) => ({ rpc: { type } }));

/** The CSI plugin with an honest driver and a hostile one, whose calls `attack` answers. */
async function setUp(attack: Answer) {
  const clock = createVirtualClock();
  const root = mkdtempSync(join(tmpdir(), 'attack-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const mounts = new Set<string>();
  const honest: Answer = async (method, { targetPath = '' }) => {
    if (method === 'nodePublishVolume') mounts.add(targetPath);
    if (method === 'nodeUnpublishVolume') mounts.delete(targetPath);
    if (method === 'nodeGetInfo') return { nodeId: 'n', maxVolumesPerNode: 0n };
    return method === 'nodeGetCapabilities' ? { capabilities } : { usage: [] };
  };
  let isAttacking = false;
  const csi = createCsi({
    rootDir: root,
    nodeName: 'n',
    isMountPoint: async (path) => mounts.has(path),
    clock,
    random: () => 0,
    // Like a call over a socket: it ends when its signal aborts, whatever the driver does.
    callNode: ({ name }, method, request, until) =>
      new Promise((resolve, reject) => {
        if (until.aborted) reject(until.reason);
        until.addEventListener('abort', () => reject(until.reason), { once: true });
        const answer = isAttacking && name === 'hostile' ? attack : honest;
        answer(method, request as { targetPath?: string }).then((response) => resolve(response as never), reject);
      }),
  });
  onTestFinished(() => csi.stop());
  for (const driver of ['honest', 'hostile']) await csi.registration.register(driver, `/${driver}.sock`, ['1.0.0'], signal);
  const stage = async (driver: string) => {
    const mounter = csi.plugin.deviceMountable?.deviceMounter();
    await mounter?.mountDevice(volumeOf(driver), '', mounter.deviceMountPath(volumeOf(driver)) ?? '', { signal });
  };
  const mounterOf = async (driver: string) => csi.plugin.mounter(volumeOf(driver), pod);
  return {
    clock,
    root,
    mounts,
    attack: () => {
      isAttacking = true;
    },
    stage,
    mounterOf,
    publish: async (driver: string) => (await mounterOf(driver)).setUp(setUpOptions),
    unpublish: async (driver: string) => (await csi.plugin.unmounter(`pv-${driver}`, 'u1')).tearDown(signal),
    usage: async (driver: string) => (await mounterOf(driver)).usage?.(signal),
  };
}

const never = () => new Promise<never>(() => {});

it.each(['nodeGetCapabilities', 'nodeStageVolume', 'nodePublishVolume', 'nodeGetVolumeStats', 'nodeUnpublishVolume'])(
  'a driver that hangs in %s fails its operation after two minutes, and stops no other driver',
  async (hanging) => {
    const answers: Record<string, unknown> = { nodeGetCapabilities: { capabilities } };
    const node = await setUp(async (method) => (method === hanging ? never() : (answers[method] ?? {})));
    if (hanging === 'nodeUnpublishVolume' || hanging === 'nodeGetVolumeStats') await node.publish('hostile');
    node.attack();
    const operation = { nodeStageVolume: node.stage, nodeGetVolumeStats: node.usage, nodeUnpublishVolume: node.unpublish }[hanging];
    for (let attempt = 0; attempt < 20; attempt++) {
      let isSettled = false;
      const failed = (operation ?? node.publish)('hostile').then(
        () => 'succeeded',
        (error: Error) => error.message,
      );
      void failed.finally(() => {
        isSettled = true;
      });
      await node.stage('honest');
      await node.publish('honest');
      await node.unpublish('honest');
      expect(isSettled).toBe(false);
      await node.clock.advance(120_000);
      expect(await failed).toContain('context deadline exceeded');
    }
    // Nothing of the attempts is left.
    expect(node.clock.pending).toBe(0);
  },
);

it('a driver that reports to have unmounted what is still mounted keeps the volume, and its data', async () => {
  const node = await setUp(async () => ({}));
  await node.publish('hostile');
  const { path } = await node.mounterOf('hostile');
  mkdirSync(join(path, 'data'), { recursive: true });
  node.attack();
  await expect(node.unpublish('hostile')).rejects.toThrow('is still mounted');
  // The driver hides the mount as well: only an empty folder is removed.
  node.mounts.clear();
  await expect(node.unpublish('hostile')).rejects.toThrow('ENOTEMPTY');
  expect(existsSync(join(path, 'data'))).toBe(true);
});

it('a driver without a limit to what it reports as usage changes no other value', async () => {
  const usage = [
    { unit: 'BYTES', total: 2n ** 63n - 1n, available: -1n, used: -(2n ** 63n) },
    { unit: 'UNKNOWN', total: 7n, available: 7n, used: 7n },
  ];
  const answers: Record<string, unknown> = { nodeGetCapabilities: { capabilities }, nodeGetVolumeStats: { usage } };
  const node = await setUp(async (method) => answers[method] ?? {});
  await node.publish('hostile');
  node.attack();
  expect(await node.usage('hostile')).toEqual({
    ...{ capacityBytes: 2n ** 63n - 1n, availableBytes: -1n, usedBytes: -(2n ** 63n) },
    ...{ inodes: 0n, inodesFree: 0n, inodesUsed: 0n },
  });
});
