import type { Pod, VolumePlugin } from '@nodeagent/api';
import { podUid, specName } from '@nodeagent/api/helpers';
import { defineSuite, type Fixture, type VolumeManagerSubject, volumeManagerSuite } from '@nodeagent/compliance';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createFakeDisk, fakeCluster, fakePlugins, paths, podWith, remotePlugin, setUpWith } from './test-harness.js';

const attachedName = `${remotePlugin}/pv-db`;

/** A manager with fake plugins, on a node of a cluster that attaches the claim `db` and no further volumes. */
function fakeSubject(): Fixture<VolumeManagerSubject> {
  const clock = createVirtualClock();
  const disk = createFakeDisk();
  const cluster = { ...fakeCluster(), isAttached: true };
  cluster.attached.add(attachedName);
  const { persistentVolumes } = cluster;
  cluster.persistentVolumes = {
    async get(key, options) {
      const volume = await persistentVolumes.get(key, options);
      return { ...volume, metadata: { ...volume.metadata, annotations: { 'pv.beta.kubernetes.io/gid': '4321' } } };
    },
  };
  const pods = new Map<string, Pod>();
  const ended = new Set<string>();
  let isFailing = false;
  const outcomeOf = (call: string) => (isFailing && call.startsWith('setUp') ? 'final' : 'done');
  const plugins = fakePlugins(disk, clock, outcomeOf).plugins.map((plugin) => measured(plugin, clock.sleep));
  const has = (uid: string) => ended.has(uid) || !pods.has(uid);
  const create = (sourcesReady: boolean) =>
    setUpWith({
      clock,
      disk,
      cluster,
      plugins,
      pods: () => [...pods.values()],
      podStates: { shouldPodContainersBeTerminating: has, shouldPodRuntimeBeRemoved: has },
      sourcesReady: () => sourcesReady,
    }).manager;
  const withGroups = (pod: Pod): Pod => ({
    ...pod,
    spec: { containers: [], ...pod.spec, securityContext: { supplementalGroups: [1234] } },
  });
  return {
    subject: {
      manager: create(true),
      pod: (uid, volumes) => podWith(uid, [...volumes]),
      add: (pod) => pods.set(podUid(pod), pod),
      end: (pod) => ended.add(podUid(pod)),
      mounted: (uid) =>
        [...disk.mounts]
          .filter(([path]) => path.startsWith(`${paths.podVolumes(uid)}/`))
          .map(([, spec]) => spec.volume?.name ?? specName(spec)),
      setFailing: (next) => {
        isFailing = next;
      },
      beyondLimit: podWith('full', ['claim:other']),
      restart: () => create(false),
      attachable: { pod: podWith('attached', ['claim:db']), volumeName: attachedName },
      grouped: { pod: withGroups(podWith('grouped', ['claim:db'])), extraGroups: [4321] },
      measurable: { pod: podWith('measured', ['data', 'claim:db', 'broken', 'cache']), ephemeral: ['data', 'cache'], persistent: ['db'] },
      advance: clock.advance,
    },
  };
}

const usage = { capacityBytes: 9n, availableBytes: 4n, usedBytes: 5n, inodes: 3n, inodesFree: 1n, inodesUsed: 2n };

/** A plugin whose volumes can be measured, except `broken`, and whose node can attach no further ones. */
function measured(plugin: VolumePlugin, sleep: (ms: number, signal: AbortSignal) => Promise<void>): VolumePlugin {
  return {
    ...plugin,
    ...(plugin.attachable && { attachable: { ...plugin.attachable, isResourceExhausted: async () => true } }),
    mounter: (spec, pod) => ({
      ...plugin.mounter(spec, pod),
      async usage(signal) {
        await sleep(10, signal);
        if (specName(spec) === 'broken') throw new Error('broken');
        return usage;
      },
    }),
  };
}

describe('the volume manager keeps the promises of a', () => {
  defineSuite({ describe, it }, volumeManagerSuite, fakeSubject);
});
