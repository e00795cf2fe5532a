import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Pod, transientOperationFailure, type Volume, type VolumeSpec } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { buildPod } from '@nodeagent/testing';
import { createMemoryVolumes } from '@nodeagent/volume-plugins';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentVolumes } from './options/agent-options.js';
import { createTestAgent, stopOnMachine, type TestAgent, testMachine } from './test-agent.js';
import { createTestVolumePlugin } from './test-volume-plugin.js';

/** One kind of volumes, mounted in memory, where an agent's end leaves them. */
function memoryVolumes() {
  const mounts = new Map<string, VolumeSpec>();
  const state = { refuses: false };
  const plugin = createTestVolumePlugin({
    name: 'test.io/memory',
    canSupport: () => true,
    async setUp(path, spec) {
      if (state.refuses) throw transientOperationFailure('disk is full');
      mounts.set(path, spec);
    },
    tearDown: async (path) => void mounts.delete(path),
    async constructVolumeSpec(_name, path) {
      const spec = mounts.get(path);
      if (spec === undefined) throw new Error(`nothing is mounted at ${path}`);
      return spec;
    },
  });
  const volumes: AgentVolumes = {
    plugins: [plugin],
    node: {
      ...createMemoryVolumes({ rootDir: '/var/lib/nodeagent' }).node,
      async list(path) {
        const below = [...mounts.keys()].filter((each) => each.startsWith(`${path}/`));
        return [...new Set(below.map((each) => each.slice(path.length + 1).split('/')[0] ?? ''))];
      },
    },
  };
  return { mounts, state, volumes };
}

function podWithVolume(name: string, source: Omit<Volume, 'name'> = { emptyDir: {} }): Pod {
  const pod = buildPod({ name, volumes: [{ name: 'data', ...source }] });
  const containers = (pod.spec?.containers ?? []).map((each) => ({ ...each, volumeMounts: [{ name: 'data', mountPath: '/data' }] }));
  return { ...pod, spec: { ...pod.spec, containers } };
}

describe('pods with volumes', () => {
  it('start when the volumes are mounted, and keep them until they have ended', async () => {
    const { mounts, volumes } = memoryVolumes();
    const node = createTestAgent([podWithVolume('p')], { volumes });
    await node.agent.start();
    await node.untilReady('p');
    const [path = ''] = mounts.keys();
    expect(mountsOf(node)).toContain(path);
    const uid = podUid(podWithVolume('p'));
    expect(path).toBe(`/var/lib/nodeagent/pods/${uid}/volumes/test.io~memory/data`);

    node.source.set([]);
    await node.clock.until(() => node.agent.pods().length === 0);
    expect([mounts.size, await node.podDirs.list()]).toEqual([0, []]);
    await node.agent.stop();
    expect(node.clock.pending).toBe(0);
  });

  it('wait for volumes that cannot be mounted, and report why', async () => {
    const { state, volumes } = memoryVolumes();
    state.refuses = true;
    const node = createTestAgent([podWithVolume('p')], { volumes });
    await node.agent.start();
    await node.clock.advance(130_000);
    expect(node.eventLines('p')).toContain('Warning FailedMount MountVolume.SetUp failed for volume "data" : disk is full');
    expect(node.eventLines('p')).toContain(
      'Warning FailedMount Unable to attach or mount volumes: ' +
        'unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
    );
    state.refuses = false;
    await node.untilReady('p', 300_000);
    await node.agent.stop();
  });

  it('keep their volumes over a restart of the agent; volumes of removed pods are unmounted', async () => {
    const { mounts, volumes } = memoryVolumes();
    const node = createTestAgent([podWithVolume('kept'), podWithVolume('removed')], { volumes });
    await node.agent.start();
    await node.untilReady('kept');
    await node.untilReady('removed');
    await node.agent.stop();
    expect(mounts.size).toBe(2);

    const again = node.again([podWithVolume('kept')]);
    await again.agent.start();
    await again.untilReady('kept');
    await again.clock.advance(120_000);
    expect([...mounts.keys()]).toEqual([`/var/lib/nodeagent/pods/${podUid(podWithVolume('kept'))}/volumes/test.io~memory/data`]);
    expect(again.memory.containers().filter(({ state }) => state === 'running')).toHaveLength(1);
    await again.agent.stop();
  });
});

const mountsOf = (node: TestAgent) => {
  const created = node.memory.callsOf('createContainer').at(-1)?.request as { config?: { mounts?: { hostPath: string }[] } };
  return created.config?.mounts?.map(({ hostPath }) => hostPath);
};

describe('default volumes', () => {
  it('are in memory with in-memory pod directories', async () => {
    const configMap = { data: { mode: 'fast' } };
    const environment = { getConfigMap: async (_: string, name: string) => (name === 'settings' ? configMap : undefined) };
    const node = createTestAgent(
      [podWithVolume('p', { configMap: { name: 'settings' } }), podWithVolume('q', { configMap: { name: 'removed' } })],
      {
        environment,
      },
    );
    await node.agent.start();
    await node.untilReady('p');
    expect(mountsOf(node)).toContain(`/var/lib/nodeagent/pods/${podUid(podWithVolume('p'))}/volumes/kubernetes.io~configmap/data`);
    expect(node.eventLines('q')[0]).toBe('Warning FailedMount MountVolume.SetUp failed for volume "data" : configmap "removed" not found');
    await node.agent.stop();
    expect(node.clock.pending).toBe(0);
  });

  it('are those of an agent without a cluster, and report unsupported ones', async () => {
    const token = { serviceAccountToken: { path: 'token' } };
    const pods = [
      podWithVolume('secret', { secret: { secretName: 's' } }),
      podWithVolume('projected', { projected: { sources: [token] } }),
      podWithVolume('claim', { persistentVolumeClaim: { claimName: 'c' } }),
    ];
    const node = createTestAgent(pods);
    await node.agent.start();
    await node.clock.advance(1_000);
    const failed = 'Warning FailedMount MountVolume.SetUp failed for volume "data" : ';
    expect(node.eventLines('secret')).toContain(`${failed}not supported due to running kubelet in standalone mode`);
    expect(node.eventLines('projected')).toContain(`${failed}cannot setup projected volume data because kube client is not configured`);
    expect(node.eventLines('claim')).toEqual([
      'Warning FailedMount Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process ' +
        'volumes=[data]: error processing PVC default/c: failed to fetch PVC from API server: no API server is configured',
    ]);
    await node.agent.stop();
  });

  it("are this machine's if pods have directories", async () => {
    const root = mkdtempSync(join(tmpdir(), 'agent-volumes-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const environment = { getConfigMap: async () => ({ data: { mode: 'fast', env: "MODE='from a file'\n" } }) };
    const pod = podWithVolume('p', { configMap: { name: 'settings' } });
    const fileKeyRef = { volumeName: 'data', path: 'env', key: 'MODE' };
    for (const container of pod.spec?.containers ?? []) container.env = [{ name: 'MODE', valueFrom: { fileKeyRef } }];
    const node = createTestAgent([pod], {
      rootDir: root,
      podLogsDir: join(root, 'logs'),
      environment,
      host: testMachine,
    });
    await node.agent.start();
    await expect.poll(() => node.clock.advance(100).then(() => node.isReady('p'))).toBe(true);
    const [path = ''] = mountsOf(node)?.filter((each) => each.includes('configmap')) ?? [];
    expect(readFileSync(join(path, 'mode'), 'utf8')).toBe('fast');
    const created = node.memory.callsOf('createContainer').at(-1)?.request as { config?: { envs?: { key: string; value: Uint8Array }[] } };
    expect(Buffer.from(created.config?.envs?.find(({ key }) => key === 'MODE')?.value ?? '').toString()).toBe('from a file');
    await stopOnMachine(node);
    expect(node.clock.pending).toBe(0);
  });
});
