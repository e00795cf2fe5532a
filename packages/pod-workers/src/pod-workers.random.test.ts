import { configSourceAnnotation, NodeAgentError, type Pod, type PodCache, type RuntimePod } from '@nodeagent/api';
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

/** What is known of one life of a pod: from its first update until it is forgotten. */
interface Life {
  phase: 'SyncPod' | 'TerminatingPod' | 'TerminatedPod';
  grace: number;
  /** It was started; what only the runtime had is not held back by its name. */
  started: boolean;
}

it(`keeps its promises whatever happens (SEED=${seed})`, async () => {
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
  const lives = new Map<string, Life>();
  let syncs = 0;
  let healed = false;

  const order = ['SyncPod', 'TerminatingPod', 'TerminatedPod'] as const;
  const sync = async (uid: string, phase: Life['phase'], signal?: AbortSignal, grace?: number) => {
    syncs++;
    if (active.has(uid)) broken.push(`two syncs of ${uid} at once`);
    const life = lives.get(uid) ?? { phase, grace: Number.POSITIVE_INFINITY, started: false };
    if (order.indexOf(phase) < order.indexOf(life.phase)) broken.push(`${uid} went back from ${life.phase} to ${phase}`);
    if (grace !== undefined && grace > life.grace) broken.push(`grace period of ${uid} grew from ${life.grace} to ${grace}`);
    if (phase === 'SyncPod' && isStatic(uid)) {
      const others = [...lives].filter(
        ([other, { phase, started }]) => started && isStatic(other) && other !== uid && phase !== 'TerminatedPod',
      );
      if (others.length > 0) broken.push(`${uid} runs beside ${others.map(([other]) => other)}`);
    }
    lives.set(uid, { phase, grace: grace ?? life.grace, started: life.started || phase === 'SyncPod' });
    active.add(uid);
    try {
      await clock.sleep(Math.floor(random() * 3000), signal);
      if (healed) return;
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
    async getNewerThan(uid, _moment, signal) {
      await clock.sleep(Math.floor(random() * 1500), signal);
      if (!healed && random() < 0.05) throw new Error('no status');
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
        lives.delete(uid);
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
    for (const uid of [...lives.keys()]) {
      if (known.has(uid)) continue;
      if (active.has(uid)) broken.push(`${uid} was forgotten during a sync`);
      lives.delete(uid);
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

  healed = true;
  for (let round = 0; round < 20; round++) {
    forget(workers.syncKnownPods([]));
    await clock.advance(60_000);
  }
  await workers.stop();
  await clock.settle();

  expect(broken).toEqual([]);
  expect([...answers].filter(([, count]) => count !== 1)).toEqual([]);
  expect([...lives.keys(), ...active]).toEqual([]);
  expect(syncs).toBeGreaterThan(100);
  expect(clock.pending).toBe(0);
});
