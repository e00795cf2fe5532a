import {
  type Clock,
  createChannel,
  type PodCacheWriter,
  type PodLifecycleEvent,
  type PodLifecycleEventGenerator,
  type PodLifecycleEventType,
  type RuntimePod,
  type Timer,
} from '@nodeagent/api';
import type { PlegRuntime } from './subject.js';

/** The ports of {@link createTestPleg}. */
export interface TestPlegPorts {
  runtime: PlegRuntime;
  cache: PodCacheWriter;
  clock: Pick<Clock, 'setTimeout'>;
}

const relistPeriodMs = 1_000;

/** A minimal generator: it relists every second, or at once on request. */
export function createTestPleg({ runtime, cache, clock }: TestPlegPorts): PodLifecycleEventGenerator {
  const events = createChannel<PodLifecycleEvent>(100);
  const known = new Map<string, RuntimePod>();
  const reinspect = new Set<string>();
  let last: Promise<void> = Promise.resolve();
  let isRunning = false;
  let hasListed = false;
  let timer: Timer | undefined;

  const reconcile = async (podUid: string, pod: RuntimePod | undefined, revision: number) => {
    const changes = podEvents(podUid, known.get(podUid), pod);
    if (!reinspect.delete(podUid) && changes.length === 0) return;
    if (pod) {
      try {
        const status = await runtime.getPodStatus(pod);
        const ips = status.ips.length > 0 ? status.ips : (cache.peek(podUid)?.status?.ips ?? []);
        cache.set(podUid, { ...status, ips }, undefined, revision);
      } catch (error) {
        reinspect.add(podUid);
        return cache.set(podUid, undefined, error, revision);
      }
      known.set(podUid, pod);
    } else {
      known.delete(podUid);
      cache.delete(podUid);
    }
    if (changes.length === 0 && pod) events.offer({ podUid, type: 'PodSync' });
    for (const change of changes) if (change.type !== 'ContainerChanged') events.offer(change);
  };
  const list = async () => {
    const revision = cache.revision();
    const pods = await runtime.getPods(true).catch(() => undefined);
    if (!pods) return;
    hasListed = true;
    const current = new Map(pods.map((pod) => [pod.uid, pod]));
    for (const uid of new Set([...known.keys(), ...current.keys()])) await reconcile(uid, current.get(uid), revision);
    cache.updateTime(revision);
  };
  const self: PodLifecycleEventGenerator = {
    events,
    unhealthyReason: () => (hasListed ? undefined : 'pleg has yet to be successful'),
    requestRelist() {
      if (isRunning) void self.relist();
    },
    requestReinspect: (podUid) => void reinspect.add(podUid),
    relist() {
      last = last.then(list);
      return last;
    },
    async start(signal) {
      if (isRunning) return;
      isRunning = true;
      signal?.addEventListener('abort', () => void self.stop());
      const next = async () => {
        await self.relist();
        if (isRunning) timer = clock.setTimeout(() => void next(), relistPeriodMs);
      };
      void next();
    },
    async stop() {
      isRunning = false;
      timer?.cancel();
      await last;
    },
  };
  return self;
}

function podEvents(podUid: string, old: RuntimePod | undefined, current: RuntimePod | undefined): PodLifecycleEvent[] {
  const statesOf = (pod: RuntimePod | undefined) =>
    new Map([...(pod?.containers ?? []), ...(pod?.sandboxes ?? [])].map(({ id, state }) => [id, state]));
  const [before, after] = [statesOf(old), statesOf(current)];
  const result: PodLifecycleEvent[] = [];
  const add = (containerId: string, ...types: PodLifecycleEventType[]) => {
    for (const type of types) result.push({ podUid, type, containerId });
  };
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [from, to] = [before.get(id), after.get(id)];
    if (from === to) continue;
    if (to === 'running') add(id, 'ContainerStarted');
    else if (to === 'exited') add(id, 'ContainerDied');
    else if (to !== undefined) add(id, 'ContainerChanged');
    else if (from === 'exited') add(id, 'ContainerRemoved');
    else add(id, 'ContainerDied', 'ContainerRemoved');
  }
  return result;
}
