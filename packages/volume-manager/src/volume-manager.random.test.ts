import type { NodeVolumeManager, Pod } from '@nodeagent/api';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import {
  createFakeDisk,
  fakeCluster,
  localPlugin,
  mountPath,
  never,
  type Outcome,
  podWith,
  remotePlugin,
  setUpWith,
} from './test-harness.js';

const seeds = Array.from({ length: Number(process.env.SIMULATION_RUNS ?? 12) }, (_, index) =>
  process.env.SIMULATION_SEED ? Number(process.env.SIMULATION_SEED) + index : index + 1,
);
const shared = ['db', 'files'];
const outcomes: Outcome[] = ['final', 'transient', 'uncertain', 'uncertain after all', 'hang'];

/** Pods start and terminate, plugins fail in every way, the API server becomes unreachable, and the manager restarts, at any step. */
async function simulate(seed: number) {
  const random = seededRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const clock = createVirtualClock();
  const disk = createFakeDisk();
  const cluster = fakeCluster();
  let calm = false;
  const outcomeOf = () => {
    const after = random() < 0.5 ? 0 : below(3000);
    if (calm || random() < 0.6) return { after, outcome: 'done' as const };
    // A hanging call ends only when the manager stops, so they are rare.
    return { after, outcome: outcomes[below(random() < 0.1 ? 5 : 4)] ?? 'done' };
  };
  for (const claim of shared) cluster.attached.add(`${remotePlugin}/pv-${claim}`);

  const pods = new Map<string, Pod>();
  const ended = new Set<string>();
  /** Does what a node status sync does. */
  const report = (manager: NodeVolumeManager) => {
    if (manager.reconcilerStatesHasBeenSynced()) manager.markVolumesAsReportedInUse(manager.getVolumesInUse());
  };
  const begin = async () => {
    const agent = setUpWith({ disk, clock, cluster, outcomeOf });
    for (const pod of pods.values()) agent.add(pod);
    for (const uid of ended) agent.ended.add(uid);
    await agent.manager.start();
    return agent;
  };
  let agent = await begin();

  /** A volume that was reported as mounted to a running pod must stay mounted. */
  const promised = new Map<string, Set<string>>();
  const check = () => {
    for (const [uid, mounts] of promised)
      for (const path of mounts) if (!disk.mounts.has(path)) throw new Error(`${path} of ${uid} is not mounted`);
  };
  const start = (pod: Pod) => {
    const uid = pod.metadata?.uid ?? '';
    const { manager } = agent;
    manager.waitForAttachAndMount(pod, never).then(
      () => {
        if (pods.get(uid) !== pod || ended.has(uid)) return;
        promised.set(uid, new Set(pathsOf(pod)));
        check();
      },
      () => {},
    );
  };

  let next = 0;
  for (let stepCount = 0; stepCount < 120; stepCount++) {
    const running = [...pods.keys()].filter((uid) => !ended.has(uid));
    const uid = running[below(running.length)];
    switch (below(9)) {
      case 0:
      case 1: {
        const volumes = ['data', 'config:settings', 'cache'].slice(0, 1 + below(3));
        const claim = shared[below(shared.length)];
        const pod = podWith(`p${next++}`, claim && random() < 0.6 ? [...volumes, `claim:${claim}`] : volumes);
        agent.add(pod);
        pods.set(pod.metadata?.uid ?? '', pod);
        start(pod);
        break;
      }
      case 2:
      case 3:
        // A pod terminates: its containers have exited, its volumes can be unmounted.
        if (uid === undefined) break;
        promised.delete(uid);
        ended.add(uid);
        agent.ended.add(uid);
        void agent.manager.waitForUnmount(pods.get(uid) as Pod, never).catch(() => {});
        break;
      case 4: {
        // A terminated pod is removed, or a pod is force-deleted.
        const removed = random() < 0.8 ? [...ended][below(ended.size)] : uid;
        if (removed === undefined) break;
        promised.delete(removed);
        ended.delete(removed);
        pods.delete(removed);
        agent.pods.delete(removed);
        agent.manager.podsChanged();
        break;
      }
      case 5:
        if (uid !== undefined) start(pods.get(uid) as Pod);
        break;
      case 6:
        cluster.faults.claims = random() < 0.3;
        cluster.faults.node = random() < 0.3;
        break;
      case 7: {
        if (random() < 0.5) break;
        const stopped = agent.manager.stop();
        await clock.run(stopped);
        agent = await begin();
        for (const pod of pods.values()) if (!ended.has(pod.metadata?.uid ?? '')) start(pod);
        break;
      }
      default:
        report(agent.manager);
    }
    for (let ticks = below(20); ticks > 0; ticks--) {
      await clock.advance(below(400));
      check();
    }
  }

  // Without faults the actual state reaches the desired state. A restart aborts hanging calls.
  calm = true;
  Object.assign(cluster.faults, { claims: false, node: false });
  await clock.run(agent.manager.stop());
  agent = await begin();
  for (const pod of pods.values()) if (!ended.has(pod.metadata?.uid ?? '')) start(pod);
  for (let second = 0; second < 300; second++) {
    await clock.advance(1000);
    report(agent.manager);
    check();
  }
  const living = [...pods].filter(([uid]) => !ended.has(uid)).map(([, pod]) => pod);
  expect([...disk.mounts.keys()].sort()).toEqual(living.flatMap(pathsOf).sort());
  const claims = new Set(living.flatMap((pod) => (pod.spec?.volumes ?? []).flatMap((each) => each.persistentVolumeClaim?.claimName ?? [])));
  expect([...disk.devices.keys()].sort()).toEqual([...claims].map((claim) => `pv-${claim}`).sort());
  expect([...promised.keys()].sort()).toEqual(living.map((pod) => pod.metadata?.uid).sort());
  for (const uid of ended) expect(agent.manager.hasPossiblyMountedVolumesForPod(uid)).toBe(false);
  const calls = agent.calls.length;
  await clock.advance(3_600_000);
  expect(agent.calls.length).toBe(calls);
  await clock.run(agent.manager.stop());
  return agent.calls.length;
}

function pathsOf(pod: Pod): string[] {
  const uid = pod.metadata?.uid ?? '';
  return (pod.spec?.volumes ?? []).map(({ name, persistentVolumeClaim }) =>
    persistentVolumeClaim ? mountPath(uid, remotePlugin, `pv-${name}`) : mountPath(uid, localPlugin, name),
  );
}

describe('volume manager under faults', () => {
  it.each(seeds)(
    'mounts all that is wanted and nothing else, seed %i',
    async (seed) => {
      await expect(simulate(seed), `seed ${seed}: SIMULATION_SEED=${seed} SIMULATION_RUNS=1`).resolves.toBeGreaterThanOrEqual(0);
    },
    60_000,
  );
});
