import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod, Volume, VolumeManager, VolumePlugin } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestAgent, stopOnMachine, type TestAgent, testMachine } from './test-agent.js';
import { createTestVolumePlugin } from './test-volume-plugin.js';

const driver = 'example.com/scratch';
const scratch: Omit<Volume, 'name'> = { flexVolume: { driver } };

/** A plugin whose volumes are folders, of this machine or only remembered. */
function createPlugin(overrides: Partial<VolumePlugin> & { rootDir?: string; onDisk?: boolean } = {}) {
  const { rootDir = '/var/lib/nodeagent', onDisk = false, ...rest } = overrides;
  const mounted = new Set<string>();
  const plugin: VolumePlugin = {
    ...createTestVolumePlugin({
      name: rest.name ?? driver,
      rootDir,
      canSupport: ({ volume }) => volume?.flexVolume?.driver === driver,
      async setUp(path) {
        if (onDisk) await mkdir(path, { recursive: true });
        mounted.add(path);
      },
      async tearDown(path) {
        if (onDisk) await rm(path, { recursive: true, force: true });
        mounted.delete(path);
      },
      async constructVolumeSpec(name, path) {
        if (onDisk) await readdir(path);
        return { volume: { name, flexVolume: { driver } }, readOnly: false };
      },
    }),
    ...rest,
  };
  return { plugin, mounted };
}

/** A pod that mounts each of these volumes, by their names. */
function podWith(name: string, sources: Record<string, Omit<Volume, 'name'>>): Pod {
  const volumes = Object.entries(sources).map(([volume, source]) => ({ name: volume, ...source }));
  const volumeMounts = volumes.map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` }));
  return buildPod({ name, volumes, containers: [{ name: 'main', image: 'busybox:1', volumeMounts }] });
}

const mountsOf = ({ memory }: TestAgent) => {
  const created = memory.callsOf('createContainer').at(-1)?.request as {
    config?: { mounts?: { containerPath: string; hostPath: string }[] };
  };
  return Object.fromEntries((created.config?.mounts ?? []).map(({ containerPath, hostPath }) => [containerPath, hostPath]));
};

const folderOf = (pod: Pod, plugin: string, volume: string) => `/var/lib/nodeagent/pods/${podUid(pod)}/volumes/${plugin}/${volume}`;

describe('volume plugins that the options add', () => {
  it("mount their volumes in addition to the agent's plugins, including CSI", async () => {
    const { plugin, mounted } = createPlugin();
    const pod = podWith('p', { work: scratch, cache: { emptyDir: {} }, disk: { csi: { driver: 'disks.example.com' } } });
    const node = createTestAgent([pod], { volumePlugins: [plugin] });
    await node.agent.start();
    await node.untilReady('p');
    expect(mountsOf(node)).toMatchObject({
      '/work': folderOf(pod, 'example.com~scratch', 'work'),
      '/cache': folderOf(pod, 'kubernetes.io~empty-dir', 'cache'),
      '/disk': folderOf(pod, 'kubernetes.io~csi', 'disk/mount'),
    });
    expect([...mounted]).toEqual([folderOf(pod, 'example.com~scratch', 'work')]);
    node.source.set([]);
    await node.clock.until(() => node.agent.pods().length === 0);
    expect(mounted.size).toBe(0);
    await node.agent.stop();
    expect(node.clock.pending).toBe(0);
  });

  it('are required by a pod with a volume that no plugin supports', async () => {
    const node = createTestAgent([podWith('p', { work: scratch })]);
    await node.agent.start();
    await node.clock.advance(130_000);
    expect(node.eventLines('p').join()).toContain('no volume plugin matched');
    expect(node.isReady('p')).toBe(false);
    await node.agent.stop();
  });

  it("replace the agent's plugin of the same name", async () => {
    const name = 'kubernetes.io/empty-dir';
    const { plugin, mounted } = createPlugin({ name, canSupport: ({ volume }) => volume?.emptyDir !== undefined });
    const pod = podWith('p', { cache: { emptyDir: {} }, info: { downwardAPI: { items: [] } } });
    const node = createTestAgent([pod], { volumePlugins: [plugin] });
    await node.agent.start();
    await node.untilReady('p');
    expect([...mounted]).toEqual([folderOf(pod, 'kubernetes.io~empty-dir', 'cache')]);
    await node.agent.stop();
  });

  it('fail the pod, not the agent, if they support volumes that another plugin supports', async () => {
    const { plugin } = createPlugin({ canSupport: () => true });
    const node = createTestAgent([podWith('p', { cache: { emptyDir: {} } }), podWith('q', { work: scratch })], { volumePlugins: [plugin] });
    await node.agent.start();
    await node.untilReady('q');
    await node.clock.advance(130_000);
    expect(node.eventLines('p').join()).toContain(`multiple volume plugins matched: kubernetes.io/empty-dir,${driver}`);
    await node.agent.stop();
  });

  it('are also added to plugins that replace those of the host', async () => {
    const other = createPlugin({ name: 'example.com/other', canSupport: ({ volume }) => volume?.emptyDir !== undefined });
    const { plugin, mounted } = createPlugin();
    const node = createTestAgent([podWith('p', { work: scratch, cache: { emptyDir: {} } })], {
      volumes: { plugins: [other.plugin], node: { list: async () => [], cleanSubPaths: async () => {} } as never },
      volumePlugins: [plugin],
    });
    await node.agent.start();
    await node.untilReady('p');
    expect([mounted.size, other.mounted.size]).toEqual([1, 1]);
    await node.agent.stop();
  });

  it('unmount after a restart what the previous agent mounted on this machine', async () => {
    const root = mkdtempSync(join(tmpdir(), 'agent-volume-plugins-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, 'plugins_registry'));
    const pod = podWith('p', { work: scratch });
    const options = { rootDir: root, podLogsDir: join(root, 'logs'), host: testMachine };
    const first = createTestAgent([pod], { ...options, volumePlugins: [createPlugin({ rootDir: root, onDisk: true }).plugin] });
    await first.agent.start();
    await expect.poll(() => first.clock.advance(100).then(() => first.isReady('p'))).toBe(true);
    await stopOnMachine(first);
    const folder = join(root, 'pods', podUid(pod), 'volumes', 'example.com~scratch');
    expect(readdirSync(folder)).toEqual(['work']);

    const again = createTestAgent([], {
      ...options,
      clock: first.clock,
      memory: first.memory,
      volumePlugins: [createPlugin({ rootDir: root, onDisk: true }).plugin],
    });
    await again.agent.start();
    await expect.poll(() => again.clock.advance(1_000).then(() => readdirSync(join(root, 'pods')))).toEqual([]);
    await stopOnMachine(again);
  });
});

const volumeManager: VolumeManager = {
  waitForAttachAndMount: async () => {},
  waitForUnmount: async () => {},
  getMountedVolumesForPod: () => new Map(),
  hasPossiblyMountedVolumesForPod: () => false,
};

it('are added to a volume manager that wraps the default', () => {
  const volumePlugins = [createPlugin().plugin];
  expect(() => createTestAgent([], { volumePlugins, parts: { volumeManager: (_, createDefault) => createDefault() } })).not.toThrow();
});

describe('added volume plugins are rejected', () => {
  const { plugin } = createPlugin();
  const { unmounter: _, ...partial } = plugin;

  it.each([
    ['without a method', { volumePlugins: [partial as VolumePlugin] }, 'volumePlugins[0]'],
    ['with an invalid name', { volumePlugins: [{ ...plugin, name: 'a/b/c' }] }, 'volumePlugins[0].name'],
    ['with the name of another', { volumePlugins: [plugin, createPlugin().plugin] }, 'volumePlugins[1].name'],
    [
      'beside a volume manager without the default',
      { volumePlugins: [plugin], parts: { volumeManager: () => volumeManager } },
      'volumePlugins',
    ],
  ])('%s', (_, options, field) => {
    expect(() => createTestAgent([], options)).toThrow(
      expect.objectContaining({ code: 'InvalidOption', details: expect.objectContaining({ field }) }),
    );
  });
});
