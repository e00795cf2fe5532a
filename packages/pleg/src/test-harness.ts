import type {
  Clock,
  Counter,
  Gauge,
  Histogram,
  InspectableRuntime,
  Metrics,
  PodLifecycleEvent,
  PodRuntimeStatus,
  Runtime,
  RuntimeChange,
  RuntimeContainer,
  RuntimeContainerState,
  RuntimePod,
} from '@nodeagent/api';
import type { ContainerEventLike } from './container-event.js';
import { createEventedPleg, type EventedPleg, type EventedPlegOptions } from './evented-pleg.js';
import { createPodCache, emptyPodStatus } from './pod-cache.js';

const eventTypes = {
  created: 'CONTAINER_CREATED_EVENT',
  running: 'CONTAINER_STARTED_EVENT',
  exited: 'CONTAINER_STOPPED_EVENT',
  removed: 'CONTAINER_DELETED_EVENT',
} as const;

export type ContainerStep = keyof typeof eventTypes;

interface OpenStream {
  waiting: ContainerEventLike[];
  onChange: () => void;
  end: { error?: unknown } | undefined;
}

/**
 * A fake runtime: its containers, its responses and, independent of both, the events of its stream. Containers are named `pod/container`.
 */
function createEventRuntime(clock: Clock) {
  const states = new Map<string, RuntimeContainerState>();
  const calls: string[] = [];
  const streams = new Set<OpenStream>();
  const podUidOf = (id: string) => id.split('/')[0] ?? '';

  const runtimePod = (uid: string, ids: string[]): RuntimePod => ({
    uid,
    name: uid,
    namespace: 'ns',
    containers: ids.map((id): RuntimeContainer => {
      const state = states.get(id) ?? 'unknown';
      return { id, name: id, state, createdAt: 0n, image: '', imageId: '', imageRef: '', hash: '', podSandboxId: '' };
    }),
    sandboxes: [],
  });
  const listPods = (): RuntimePod[] => {
    const byPod = new Map<string, string[]>();
    for (const id of states.keys()) byPod.set(podUidOf(id), [...(byPod.get(podUidOf(id)) ?? []), id]);
    return [...byPod].map(([uid, ids]) => runtimePod(uid, ids));
  };
  const eventOf = (id: string, step: ContainerStep): ContainerEventLike => ({
    containerId: id,
    containerEventType: eventTypes[step],
    createdAt: BigInt(Math.round(clock.now())) * 1_000_000n,
    podSandboxStatus: { metadata: { uid: podUidOf(id) } },
    containersStatuses: [],
  });

  const fake = {
    calls,
    streams,
    /** Runs before each call; throw to fail the call, wait to delay it. */
    intercept: async (_call: string): Promise<void> => {},
    /** Runs before each stream opens. */
    connect: async (_signal: AbortSignal): Promise<void> => {},
    inspectable: undefined as (Pick<Runtime, 'getPods' | 'getPod' | 'getPodStatus'> & InspectableRuntime) | undefined,
    runtime: {
      async getPods() {
        calls.push('getPods');
        await fake.intercept('getPods');
        return listPods();
      },
      async getPod(uid: string) {
        calls.push(`getPod ${uid}`);
        await fake.intercept(`getPod ${uid}`);
        return listPods().find((pod) => pod.uid === uid);
      },
      async getPodStatus({ uid, containers }: RuntimePod): Promise<PodRuntimeStatus> {
        calls.push(`getPodStatus ${uid}`);
        await fake.intercept(`getPodStatus ${uid}`);
        return { ...emptyPodStatus(uid), name: containers.map(({ id, state }) => `${id}=${state}`).join(' ') };
      },
    },
    /** The runtime with reports of changes, which the test sends with `report`. */
    get inspectableRuntime() {
      fake.inspectable ??= {
        ...fake.runtime,
        onChange: undefined,
        async inspectChanges(uid, known, changes) {
          const call = `inspectChanges ${uid} ${changes.map(({ id, removed, sandbox }) => `${removed ? '-' : ''}${id}${sandbox ? '=known' : ''}`).join(' ')}`;
          calls.push(call);
          await fake.intercept(call);
          const pod = listPods().find((one) => one.uid === uid);
          if (pod === undefined) return undefined;
          // What no change names is as it was known.
          const before = new Map((known?.name ?? '').split(' ').map((text) => text.split('=') as [string, RuntimeContainerState]));
          const changed = new Set(changes.map(({ id }) => id));
          pod.containers = pod.containers
            .filter(({ id }) => changed.has(id) || before.has(id))
            .map((container) => ({ ...container, state: (!changed.has(container.id) && before.get(container.id)) || container.state }));
          const name = pod.containers.map(({ id, state }) => `${id}=${state}`).join(' ');
          return { pod, status: { ...emptyPodStatus(uid), name } };
        },
      };
      return fake.inspectable;
    },
    report: (change: RuntimeChange) => fake.inspectable?.onChange?.(change),
    async *containerEvents(signal: AbortSignal): AsyncGenerator<ContainerEventLike, void, undefined> {
      calls.push('containerEvents');
      await fake.connect(signal);
      const stream: OpenStream = { waiting: [], onChange: () => {}, end: undefined };
      streams.add(stream);
      const abort = () => {
        stream.end = { error: signal.reason };
        stream.onChange();
      };
      signal.addEventListener('abort', abort, { once: true });
      try {
        for (;;) {
          for (let event = stream.waiting.shift(); event; event = stream.waiting.shift()) yield event;
          if (stream.end?.error !== undefined) throw stream.end.error;
          if (stream.end !== undefined) return;
          await new Promise<void>((resolve) => {
            stream.onChange = resolve;
          });
        }
      } finally {
        signal.removeEventListener('abort', abort);
        streams.delete(stream);
      }
    },
    /** Changes a container without sending an event. */
    change(id: string, step: ContainerStep): void {
      if (step === 'removed') states.delete(id);
      else states.set(id, step);
    },
    /** Sends an event for a container without changing it. */
    sendEvent(id: string, step: ContainerStep, more: Partial<ContainerEventLike> = {}): void {
      fake.send({ ...eventOf(id, step), ...more });
    },
    send(event: ContainerEventLike): void {
      for (const stream of streams) {
        stream.waiting.push(event);
        stream.onChange();
      }
    },
    /** Changes a container and sends the event. */
    changeAndSend(id: string, step: ContainerStep): void {
      fake.change(id, step);
      fake.sendEvent(id, step);
    },
    /** The runtime ends its streams. */
    endStreams(error?: unknown): void {
      for (const stream of streams) {
        stream.end = error === undefined ? {} : { error };
        stream.onChange();
      }
    },
    takeCalls: () => calls.splice(0),
    states: () => new Map(states),
    stateOf: (id: string) => states.get(id),
    /** The status that the cache must have for a pod; `undefined` if the pod does not exist. */
    expectedStatus(uid: string): string | undefined {
      const pod = listPods().find((one) => one.uid === uid);
      return pod?.containers.map(({ id, state }) => `${id}=${state}`).join(' ');
    },
  };
  return fake;
}

export type EventRuntime = ReturnType<typeof createEventRuntime>;

/** Keeps the last value of gauges, the sum of counters and the number of observations, by name and label values. */
export function recordingMetrics() {
  const values = new Map<string, number>();
  const key = (name: string, labels: object = {}) => [name, ...Object.values(labels)].join(' ');
  const add = (at: string, by: number) => void values.set(at, (values.get(at) ?? 0) + by);
  const metrics: Metrics = {
    counter: ({ name }): Counter => ({ inc: (labels, by = 1) => add(key(name, labels), by) }),
    gauge: ({ name }): Gauge => ({ set: (value, labels) => void values.set(key(name, labels), value) }),
    histogram: ({ name }): Histogram => ({ observe: () => add(name, 1) }),
  };
  return { metrics, value: (name: string) => values.get(name) ?? 0 };
}

/** A generator on that runtime in virtual time. */
export function setUpEvented<C extends Clock & { advance(ms: number): Promise<void> }>(
  clock: C,
  { inspectable = false, ...options }: Partial<EventedPlegOptions> & { inspectable?: boolean } = {},
) {
  const fake = createEventRuntime(clock);
  const cache = createPodCache();
  const { metrics, value } = recordingMetrics();
  const pleg: EventedPleg = createEventedPleg({
    runtime: inspectable ? fake.inspectableRuntime : fake.runtime,
    containerEvents: fake.containerEvents,
    cache,
    clock,
    metrics,
    ...options,
  });
  const take = () => {
    const events: PodLifecycleEvent[] = [];
    for (let next = pleg.events.poll(); next; next = pleg.events.poll()) events.push(next);
    return events.map(({ podUid, type, containerId }) => [podUid, type, containerId].filter(Boolean).join(' '));
  };
  return {
    clock,
    fake,
    cache,
    pleg,
    take,
    metric: value,
    drift: () => value('nodeagent_pleg_drift_total relist') + value('nodeagent_pleg_drift_total reconnect'),
    /** The cached status of a pod in the format of {@link EventRuntime.expectedStatus}. */
    cached: (uid: string) => cache.peek(uid)?.status?.name,
    /** Starts the generator and advances the clock until relists are rare. */
    async settled() {
      await pleg.start();
      await clock.advance(700_000);
      fake.takeCalls();
      take();
    },
  };
}
