import { NodeAgentError, type Pod, type PodCache, type RuntimePod } from '@nodeagent/api';
import { configSourceAnnotation } from '@nodeagent/api/helpers';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createPodWorkers } from './pod-workers.js';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

/** A small seeded generator: mulberry32. */
function generator(state: number) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A pod lifecycle as the workers process it: from the first update until the pod is forgotten. */
interface Lifecycle {
  phase: 'SyncPod' | 'TerminatingPod' | 'TerminatedPod';
  grace: number;
  /** Whether it was started. A pod that only the runtime has does not wait for static pods of its name. */
  started: boolean;
}

it(`keeps its promises for random updates, errors and delays (SEED=${seed})`, async () => {
  const random = generator(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const clock = createVirtualClock();
  const uids = ['a', 'b', 's1', 's2', 's3'];
  const isStatic = (uid: string) => uid.startsWith('s');
  const pod = (uid: string): Pod => ({
    metadata: {
      uid,
      name: isStatic(uid) ? 'static' : uid,
      namespace: 'ns',
      annotations: { [configSourceAnnotation]: isStatic(uid) ? 'file' : 'api' },
      ...(random() < 0.1 && { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: pick([1, 5, 60]) }),
    },
    spec: { containers: [], terminationGracePeriodSeconds: pick([1, 10, 30]) },
    status: { phase: random() < 0.05 ? pick(['Failed', 'Succeeded']) : 'Running' },
  });

  const broken: string[] = [];
  const active = new Set<string>();
  const lifecycles = new Map<string, Lifecycle>();
  let syncs = 0;
  let isHealthy = false;

  const order = ['SyncPod', 'TerminatingPod', 'TerminatedPod'] as const;
  const sync = async (uid: string, phase: Lifecycle['phase'], signal?: AbortSignal, grace?: number) => {
    syncs++;
    if (active.has(uid)) broken.push(`two syncs of ${uid} at once`);
    const lifecycle = lifecycles.get(uid) ?? { phase, grace: Number.POSITIVE_INFINITY, started: false };
    if (order.indexOf(phase) < order.indexOf(lifecycle.phase)) broken.push(`${uid} returned from ${lifecycle.phase} to ${phase}`);
    if (grace !== undefined && grace > lifecycle.grace) broken.push(`grace period of ${uid} grew from ${lifecycle.grace} to ${grace}`);
    if (phase === 'SyncPod' && isStatic(uid)) {
      const others = [...lifecycles].filter(
        ([other, { phase, started }]) => started && isStatic(other) && other !== uid && phase !== 'TerminatedPod',
      );
      if (others.length > 0) broken.push(`${uid} runs beside ${others.map(([other]) => other)}`);
    }
    lifecycles.set(uid, { phase, grace: grace ?? lifecycle.grace, started: lifecycle.started || phase === 'SyncPod' });
    active.add(uid);
    try {
      await clock.sleep(Math.floor(random() * 3000), signal);
      if (isHealthy) return;
      const dice = random();
      if (dice < 0.15) throw new Error('boom');
      if (dice < 0.2) throw new NodeAgentError('NetworkNotReady', 'network is not ready: no CNI');
      if (dice < 0.25) throw new NodeAgentError('CrashLoopBackOff', 'back-off', { details: { expiry: clock.now() + random() * 90_000 } });
    } finally {
      active.delete(uid);
    }
  };

  const cache: PodCache = {
    get(uid) {
      if (random() < 0.1) throw new Error('unknown');
      return {
        uid,
        name: '',
        namespace: '',
        ips: [],
        containerStatuses: [],
        activeContainerStatuses: [],
        sandboxStatuses: [],
      };
    },
    revision: () => 0,
    async getNewerThan(uid, _revision, signal) {
      await clock.sleep(Math.floor(random() * 1500), signal);
      if (!isHealthy && random() < 0.05) throw new Error('no status');
      return {
        uid,
        name: '',
        namespace: '',
        ips: [],
        containerStatuses: [],
        activeContainerStatuses: [],
        sandboxStatuses: [],
      };
    },
  };
  const workers = createPodWorkers({
    clock,
    random,
    cache,
    syncer: {
      async syncPod(_type, { metadata }, _status, signal) {
        await sync(metadata?.uid ?? '', 'SyncPod', signal);
        return { terminal: random() < 0.03, changed: random() < 0.5 };
      },
      syncTerminatingPod: ({ metadata }, _status, grace) => sync(metadata?.uid ?? '', 'TerminatingPod', undefined, grace),
      async syncTerminatingRuntimePod({ uid }) {
        await sync(uid, 'TerminatingPod');
        lifecycles.delete(uid);
      },
      syncTerminatedPod: ({ metadata }, _status, signal) => sync(metadata?.uid ?? '', 'TerminatedPod', signal),
    },
  });

  const answers = new Map<number, number>();
  let kills = 0;
  const killOptions = () => {
    const id = kills++;
    answers.set(id, 0);
    return {
      onCompleted: () => void answers.set(id, (answers.get(id) ?? 0) + 1),
      evict: random() < 0.3,
      ...(random() < 0.5 && { gracePeriodOverride: pick([1, 3, 20, 300]) }),
    };
  };
  const forget = (known: ReadonlyMap<string, unknown>) => {
    for (const uid of [...lifecycles.keys()]) {
      if (known.has(uid)) continue;
      if (active.has(uid)) broken.push(`${uid} was forgotten during a sync`);
      lifecycles.delete(uid);
    }
  };

  for (let step = 0; step < 1500; step++) {
    const uid = pick(uids);
    const dice = random();
    if (dice < 0.3) workers.updatePod({ type: 'create', pod: pod(uid) });
    else if (dice < 0.65) workers.updatePod({ type: pick(['update', 'sync']), pod: pod(uid) });
    else if (dice < 0.75) workers.updatePod({ type: 'kill', pod: pod(uid), killOptions: killOptions() });
    else if (dice < 0.78) {
      const runningPod: RuntimePod = { uid, name: uid, namespace: 'ns', containers: [], sandboxes: [] };
      workers.updatePod({ type: 'kill', runningPod, killOptions: killOptions() });
    } else forget(workers.syncKnownPods(uids.filter(() => random() < 0.7).map(pod)));
    for (const known of uids) {
      if (workers.isPodKnownTerminated(known) && workers.couldHaveRunningContainers(known)) broken.push(`${known} both ended and running`);
      if (workers.shouldPodBeFinished(known) && active.has(known)) broken.push(`${known} finished during a sync`);
    }
    if (random() < 0.8) await clock.advance(Math.floor(random() * 4000));
  }

  isHealthy = true;
  for (let round = 0; round < 20; round++) {
    forget(workers.syncKnownPods([]));
    await clock.advance(60_000);
  }
  await workers.stop();
  await clock.settle();

  expect(broken).toEqual([]);
  expect([...answers].filter(([, count]) => count !== 1)).toEqual([]);
  expect([...lifecycles.keys(), ...active]).toEqual([]);
  expect(syncs).toBeGreaterThan(100);
  expect(clock.pending).toBe(0);
});
