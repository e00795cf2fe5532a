import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Pod } from '@nodeagent/api';
import { removeTree } from '@nodeagent/api/files';
import { volumePaths } from '@nodeagent/api/helpers';
import {
  createFileSystemProbe,
  createNodeMounter,
  createSubPaths,
  createVolumeMeter,
  createVolumeNode,
  isMountPoint,
  type SubPaths,
} from '@nodeagent/mount-utils';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { createVolumeManager } from '@nodeagent/volume-manager';
import { createVolumePlugins } from '@nodeagent/volume-plugins/node';
import { expect, it, onTestFinished } from 'vitest';
import { mountHung } from './hung-mounts.js';

const { signal } = new AbortController();

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'attack-'));
  onTestFinished(() => void execFileSync('rm', ['-rf', '--one-file-system', folder]));
  return folder;
}

it('a volume with 40,000 entries holds neither the event loop nor memory while it is measured', async () => {
  const folder = tempFolder();
  // Hard links are made faster than files, and measured as slowly.
  const script = `
    const fs = require('node:fs');
    for (let each = 0; each < 40_000; each++) {
      if (each % 2_000 === 0) fs.writeFileSync(each + '', '');
      else fs.linkSync(each - (each % 2_000) + '', each + '');
    }`;
  execFileSync(process.execPath, ['-e', script], { cwd: folder });
  const meter = createVolumeMeter();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const memory = process.memoryUsage().rss;
  const [before, startedAt] = [performance.eventLoopUtilization(), performance.now()];
  expect((await meter.folder(folder, signal)).inodesUsed).toBe(21n);
  // Shares of the time that it took: on a busy machine all is slower.
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
  expect(delay.max / 1e6).toBeLessThan((performance.now() - startedAt) / 2);
  expect((process.memoryUsage().rss - memory) / 2 ** 20).toBeLessThan(64);
});

const volumeCount = 8;
const canMount = process.getuid?.() === 0 && existsSync('/dev/fuse');

/** A pod whose volumes are mounts of a server that is lost, and an emptyDir; and the volume manager of its node. */
async function podOnLostServer() {
  const rootDir = tempFolder();
  const paths = volumePaths(rootDir);
  const names = Array.from({ length: volumeCount }, (_, each) => `share-${each}`);
  const folders = names.map((name) => paths.podVolume('u1', 'kubernetes.io/nfs', name));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  await mountHung(folders);
  const volumes = [...names.map((name) => ({ name, nfs: { server: 'files', path: '/export' } })), { name: 'scratch', emptyDir: {} }];
  const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
  const containers = [{ name: 'main', image: 'app', volumeMounts }];
  const pod: Pod = { metadata: { name: 'web', namespace: 'shop', uid: 'u1' }, spec: { containers, volumes } };

  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  const mounter = createNodeMounter();
  const fileSystems = createFileSystemProbe({ mounter, clock });
  const plugins = createVolumePlugins({ rootDir, mounter, fileSystems, clock, logger });
  const nfs = plugins.find(({ name }) => name === 'kubernetes.io/nfs');
  const manager = createVolumeManager({
    rootDir,
    nodeName: 'node',
    plugins,
    node: createVolumeNode({ mounter, paths }),
    pods: () => [pod],
    podStates: { shouldPodContainersBeTerminating: () => false, shouldPodRuntimeBeRemoved: () => false },
    sourcesReady: () => true,
    clock,
    logger,
  });
  onTestFinished(() => manager.stop());
  const subPaths = createSubPaths({ mounter, paths, fileSystems });
  const isMounted = async () => (await Promise.all(folders.map((folder) => isMountPoint(mounter, folder)))).some((each) => each);
  const tearDown = async (name: string) => (await nfs?.unmounter(name, 'u1'))?.tearDown(signal);
  return { clock, logger, manager, subPaths, tearDown, isMounted, names, folders, pod };
}

/** The processes of a program that this one has started. */
const childrenOf = (program: string) =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '' && programOf(pid) === program);

function programOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'ended';
  }
}

const threads = () => readdirSync('/proc/self/task').length;

/** Rejects if Node's threads for files are all in use. */
async function requireThreads(): Promise<void> {
  await Promise.race([
    Promise.all(Array.from({ length: 8 }, () => stat('/'))),
    new Promise((_, reject) => setTimeout(reject, 5_000, new Error('all threads for files hang'))),
  ]);
}

/** What a container of the pod that starts with a subPath of the volume needs. */
async function prepareSubPath(subPaths: SubPaths, pod: Pod, volumePath: string): Promise<string> {
  const container = pod.spec?.containers?.[0] ?? { name: 'main', image: 'app' };
  return subPaths.prepare({ pod, container, mount: { name: 'share', mountPath: '/data' }, mountIndex: 0, volumePath, subPath: 'data' });
}

async function advanceUntil(clock: ReturnType<typeof createVirtualClock>, isDone: () => boolean | Promise<boolean>): Promise<void> {
  const advance = async () => {
    await clock.advance(100);
    return isDone();
  };
  await expect.poll(advance).toBe(true);
}

it.skipIf(!canMount)('a mount in a volume whose server is lost is neither opened nor counted (needs root and FUSE)', async () => {
  const folder = tempFolder();
  const inner = join(folder, 'inner');
  mkdirSync(inner);
  const meter = createVolumeMeter();
  const before = await meter.folder(folder, signal);
  await mountHung([inner]);
  const { usedBytes, inodesUsed } = await meter.folder(folder, signal);
  expect(inodesUsed).toBe(before.inodesUsed - 1n);
  expect(usedBytes).toBeLessThan(before.usedBytes);
  await expect(removeTree(folder)).rejects.toMatchObject({ code: 'EBUSY' });
  expect(existsSync(folder)).toBe(true);
  await requireThreads();
});

it.skipIf(!canMount)('eight volumes whose server is lost hold no thread and no other volume (needs root and FUSE)', async () => {
  const { clock, logger, manager, subPaths, tearDown, isMounted, names, folders, pod } = await podOnLostServer();
  await requireThreads();
  const before = threads();
  let isReady = false;
  await manager.start();
  const ready = manager.waitForAttachAndMount(pod, signal).then(() => {
    isReady = true;
  });
  await advanceUntil(clock, () => isReady);
  await ready;

  for (let pass = 0; pass < 3; pass++) {
    const measured = manager.volumeStats?.(pod, signal);
    await expect.poll(() => childrenOf('stat')).toHaveLength(volumeCount);
    await clock.advance(60_000);
    const stats = await measured;
    expect(stats?.ephemeral.map(({ name }) => name)).toEqual(['scratch']);
    expect(stats?.persistent).toEqual([]);
  }
  for (const result of await Promise.allSettled(folders.map((folder) => prepareSubPath(subPaths, pod, folder)))) {
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'SubPathFailed', cause: { code: 'FileSystemHangs' } } });
  }
  await requireThreads();
  expect(threads()).toBeLessThanOrEqual(before);
  for (const name of names) {
    const lines = logger.lines.filter(({ fields }) => (fields as { volume?: string }).volume === name);
    expect(lines.map(({ message }) => message)).toEqual(['the volume does not answer: its last usage is reported']);
  }

  // umount(8) hangs too, until it is forced.
  const tornDown = Promise.all(names.map(tearDown));
  await expect.poll(() => childrenOf('umount')).toHaveLength(volumeCount);
  await expect.poll(() => childrenOf('stat')).toEqual([]);
  await clock.advance(60_000);
  await advanceUntil(clock, async () => !(await isMounted()));
  await tornDown;
  await requireThreads();
});
