import type {
  PodLifecycleEvent,
  PodRuntimeStatus,
  RuntimeContainer,
  RuntimeContainerState,
  RuntimePod,
  WritablePodCache,
} from '@nodeagent/api';
import { createGenericPleg, createPodCache, emptyPodStatus } from '@nodeagent/pleg';
import { computePodEvents } from '@nodeagent/pleg/decisions';
import { createVirtualClock } from '@nodeagent/testing';
import { type Adapter, defineAdapter } from '../adapter.js';
import { healthErrorCause } from '../masks.js';

interface RecordedContainer {
  id: string;
  state: RuntimeContainerState;
}

interface RecordedPod {
  uid: string;
  containers: RecordedContainer[] | null;
  sandboxes: RecordedContainer[] | null;
}

const container = ({ id, state }: RecordedContainer): RuntimeContainer => ({
  id,
  name: id,
  state,
  createdAt: 0n,
  image: '',
  imageId: '',
  imageRef: '',
  hash: '',
  podSandboxId: '',
});

const pod = ({ uid, containers, sandboxes }: RecordedPod): RuntimePod => ({
  uid,
  name: uid,
  namespace: 'default',
  containers: (containers ?? []).map(container),
  sandboxes: (sandboxes ?? []).map(container),
});

const event = ({ podUid, type, containerId }: PodLifecycleEvent) => ({ podUID: podUid, type, containerID: containerId });

function eventsByPod(events: PodLifecycleEvent[]) {
  const byPod: Record<string, unknown[]> = {};
  for (const { podUid, type, containerId } of events) {
    const list = byPod[podUid] ?? [];
    byPod[podUid] = list;
    list.push(event({ podUid, type, containerId }));
  }
  return byPod;
}

function readCache(cache: WritablePodCache, uid: string) {
  try {
    const { name, ips } = cache.get(uid);
    return { name, ips, error: '' };
  } catch (error) {
    return { name: cache.peek(uid)?.status?.name ?? '', ips: [], error: (error as Error).message };
  }
}

interface RelistStep {
  advanceSeconds: number;
  listError: boolean;
  pods: RecordedPod[];
  podStatuses: Record<string, { name: string; ips: string[] | null; error: string }>;
  requestReinspect: string[] | null;
}

interface RelistInput {
  start: string;
  eventChannelCapacity: number;
  relistThresholdSeconds: number;
  steps: RelistStep[];
}

async function replayRelist({ start, eventChannelCapacity, relistThresholdSeconds, steps }: RelistInput) {
  const clock = createVirtualClock({ start: Date.parse(start) });
  const cache = createPodCache();
  let step: RelistStep | undefined;
  let statusCalls: string[] = [];
  const pleg = createGenericPleg({
    runtime: {
      async getPods() {
        if (step?.listError) throw new Error('list failed');
        return (step?.pods ?? []).map(pod);
      },
      getPod: async () => undefined,
      async getPodStatus({ uid, sandboxes }) {
        statusCalls.push(uid);
        const recorded = step?.podStatuses[uid];
        if (recorded?.error) throw new Error(recorded.error);
        return {
          ...emptyPodStatus(uid),
          name: recorded?.name ?? '',
          ips: recorded?.ips ?? [],
          sandboxStatuses: sandboxes.map(({ id, state }) => ({
            id,
            attempt: 0,
            state: state === 'running' ? ('ready' as const) : ('notReady' as const),
            createdAt: 0n,
            networkMode: 'POD' as const,
            runtimeHandler: '',
          })),
        };
      },
    },
    cache,
    clock,
    channelCapacity: eventChannelCapacity,
    relistThresholdMs: relistThresholdSeconds * 1000,
  });

  const output: unknown[] = [];
  for (step of steps) {
    await clock.advance(step.advanceSeconds * 1000);
    for (const uid of step.requestReinspect ?? []) pleg.requestReinspect(uid);
    statusCalls = [];
    await pleg.relist();
    const events: PodLifecycleEvent[] = [];
    for (let next = pleg.events.poll(); next !== undefined; next = pleg.events.poll()) events.push(next);
    const reason = pleg.unhealthyReason();
    output.push({
      ...(eventChannelCapacity < 1000 ? { eventCount: events.length } : { eventsByPod: eventsByPod(events) }),
      statusCalls: statusCalls.sort(),
      cache: Object.fromEntries(['p1', 'p2', 'p3'].map((uid) => [uid, readCache(cache, uid)])),
      healthy: reason === undefined,
      healthError: reason ?? '',
    });
  }
  return output;
}

type CacheStep = { op: string; uid: string; time: number; minTime: number; request: number; name: string; error: string };

async function replayCache({ steps }: { steps: CacheStep[] }) {
  const cache = createPodCache();
  const output: unknown[] = [];
  let released: { request: number; result: { name: string; error: string } }[] = [];
  for (const { op, uid, time, minTime, request, name, error } of steps) {
    released = [];
    if (op === 'get') {
      const { name, error } = readCache(cache, uid);
      output.push({ result: { name, error } });
      continue;
    }
    if (op === 'set') cache.set(uid, { ...emptyPodStatus(uid), name }, error ? new Error(error) : undefined, time);
    if (op === 'delete') cache.delete(uid);
    if (op === 'updateTime') cache.updateTime(time);
    if (op === 'setObservedTime') cache.setObservedTime(uid, time);
    if (op === 'getNewerThan') {
      cache.getNewerThan(uid, minTime).then(
        ({ name }: PodRuntimeStatus) => released.push({ request, result: { name, error: '' } }),
        ({ message }: Error) => released.push({ request, result: { name: cache.peek(uid)?.status?.name ?? '', error: message } }),
      );
    }
    await new Promise((resolve) => setImmediate(resolve));
    output.push({ released: released.sort((a, b) => a.request - b.request) });
  }
  return output;
}

export const plegAdapters: Adapter[] = [
  defineAdapter('pleg-compute-events', (input: { old: RecordedPod | null; new: RecordedPod | null }) =>
    computePodEvents(input.old ? pod(input.old) : undefined, input.new ? pod(input.new) : undefined).map(event),
  ),
  defineAdapter('pleg-relist', replayRelist, { masks: [healthErrorCause] }),
  defineAdapter('pod-cache', replayCache),
];
