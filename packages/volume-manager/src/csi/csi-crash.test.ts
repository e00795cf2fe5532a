import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Pod, podUid, silentLogger } from '@nodeagent/api';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';
import { volumePaths } from '../plugin/volume-paths.js';
import { createVolumeManager } from '../volume-manager.js';
import type { CallCsiNode } from './csi-calls.js';
import type { CsiContext } from './csi-context.js';
import { CsiDrivers } from './csi-drivers.js';
import { type CsiFiles, csiFiles } from './csi-files.js';
import { csiVolumePlugin } from './csi-plugin.js';

/** What outlives an agent: its folder, and what the driver has mounted. */
function createNode() {
  const root = mkdtempSync(join(tmpdir(), 'csi-crash-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return { root, mounts: new Map<string, string>() };
}

/** Staging and publishing of one driver. */
const driverOf =
  ({ mounts }: ReturnType<typeof createNode>): CallCsiNode =>
  async (_driver, method, request) => {
    const { volumeId = '', stagingTargetPath = '', targetPath = '' } = request as Record<string, string>;
    if (method === 'nodeStageVolume') mounts.set(stagingTargetPath, volumeId);
    if (method === 'nodeUnstageVolume') mounts.delete(stagingTargetPath);
    if (method === 'nodePublishVolume') mounts.set(targetPath, volumeId);
    if (method === 'nodeUnpublishVolume') mounts.delete(targetPath);
    return { capabilities: [{ rpc: { type: 'STAGE_UNSTAGE_VOLUME' } }] } as never;
  };

/** An agent that ends without a word before or after its `lastStep`th step, a call of the driver or of the file system. */
async function startAgent(node: ReturnType<typeof createNode>, pods: Pod[], lastStep = Number.POSITIVE_INFINITY, done = false) {
  const { root, mounts } = node;
  const clock = createVirtualClock();
  let steps = 0;
  const ended = () => new Promise<never>(() => {});
  const step = async <T>(run: () => Promise<T>): Promise<T> => {
    const isLast = ++steps >= lastStep;
    if (isLast && !(done && steps === lastStep)) return ended();
    const result = await run();
    return isLast ? ended() : result;
  };
  const real = csiFiles(async (path) => mounts.has(path));
  const files = Object.fromEntries(
    Object.entries(real).map(([name, run]) => [
      name,
      (...args: never[]) => step(() => (run as (...all: never[]) => Promise<unknown>)(...args)),
    ]),
  ) as unknown as CsiFiles;
  const call = driverOf(node);
  const drivers = new CsiDrivers();
  drivers.set({ name: 'd', endpoint: '/d.sock', version: { major: 1, minor: 0, patch: 0 } as never });
  const context: CsiContext = {
    paths: volumePaths(root),
    nodeName: 'n',
    drivers,
    callNode: (...args) => step(() => call(...args)),
    files,
    volumeAttachments: undefined,
    secrets: undefined,
    serviceAccountToken: undefined,
    applyFsGroup: undefined,
    supportsSELinux: undefined,
    clock,
    logger: silentLogger,
  };
  const isGone = (uid: string) => !pods.some((pod) => podUid(pod) === uid);
  const manager = createVolumeManager({
    plugins: [csiVolumePlugin(context, async () => {})],
    node: {
      list: async (path: string) => {
        try {
          return readdirSync(path);
        } catch {
          return [];
        }
      },
      cleanSubPaths: async () => {},
      mountRefs: async (path: string) =>
        [...mounts].filter(([target, id]) => target !== path && id === mounts.get(path)).map(([target]) => target),
    } as never,
    rootDir: root,
    nodeName: 'n',
    pods: () => pods,
    podStates: { shouldPodContainersBeTerminating: isGone, shouldPodRuntimeBeRemoved: isGone },
    sourcesReady: () => true,
    claims: { get: async () => ({ metadata: { uid: 'c' }, spec: { volumeName: 'pv' }, status: { phase: 'Bound' } }) },
    persistentVolumes: {
      get: async () => ({
        metadata: { name: 'pv' },
        spec: {
          claimRef: { uid: 'c', name: 'data', namespace: 'default' },
          volumeMode: 'Filesystem',
          csi: { driver: 'd', volumeHandle: 'v' },
        },
      }),
    },
    clock,
  });
  await Promise.race([manager.start(), new Promise((resolve) => setImmediate(() => setImmediate(resolve)))]);
  /** Lets time pass until it is true, or nothing has changed for long. */
  const until = async (isTrue: () => boolean) => {
    for (let tries = 0; tries < 400 && !isTrue() && steps < lastStep; tries++) {
      await clock.advance(500);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  return { manager, until, steps: () => steps };
}

const pod = buildPod({
  name: 'web',
  uid: 'u1',
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  containers: [{ name: 'main', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
});

const folders = (root: string) =>
  readdirSync(root, { recursive: true })
    .map(String)
    .filter((path) => /vol_data|mount/.test(path));

/** Mounts, then unmounts, with the agent's end at the given step of one of them; an agent after it has to put things right. */
async function lifeWithCrash(crashAt: number, when: 'mounting' | 'unmounting', done: boolean, stays: boolean): Promise<boolean> {
  const node = createNode();
  const isMounted = () => node.mounts.size === 2;
  const isClean = () => node.mounts.size === 0 && folders(node.root).length === 0;
  if (when === 'unmounting') {
    const first = await startAgent(node, [pod]);
    await first.until(isMounted);
    await first.until(() => first.manager.getMountedVolumesForPod('u1').size === 1);
    await first.manager.stop();
  }
  const victim = await startAgent(node, when === 'mounting' ? [pod] : [], crashAt, done);
  await victim.until(when === 'mounting' ? () => victim.manager.getMountedVolumesForPod('u1').size === 1 : isClean);
  const crashed = victim.steps() >= crashAt;

  const next = await startAgent(node, stays ? [pod] : []);
  await next.until(stays ? () => next.manager.getMountedVolumesForPod('u1').size === 1 : isClean);
  const label = { crashAt, when, done, stays };
  if (stays) expect({ ...label, mounts: [...node.mounts.values()] }).toEqual({ ...label, mounts: ['v', 'v'] });
  else expect({ ...label, mounts: node.mounts.size, left: folders(node.root) }).toEqual({ ...label, mounts: 0, left: [] });
  await next.manager.stop();
  return crashed;
}

it.each(['mounting', 'unmounting'] as const)(
  'an agent that ends at any step of %s leaves nothing that the next one cannot finish or take away',
  async (when) => {
    let steps = 0;
    for (const done of [false, true]) {
      for (const stays of [false, true]) {
        let crashAt = 1;
        while (await lifeWithCrash(crashAt, when, done, stays)) crashAt++;
        steps = Math.max(steps, crashAt);
      }
    }
    expect(steps).toBeGreaterThan(6);
  },
  60_000,
);
