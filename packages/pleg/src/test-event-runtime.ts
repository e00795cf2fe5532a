import type {
  Clock,
  InspectableRuntime,
  PodRuntimeStatus,
  Runtime,
  RuntimeChange,
  RuntimeContainer,
  RuntimeContainerState,
  RuntimePod,
} from '@nodeagent/api';
import type { ContainerEventLike } from './container-event.js';
import { emptyPodStatus } from './pod-cache.js';
import { EventStreams } from './test-event-streams.js';

const eventTypes = {
  created: 'CONTAINER_CREATED_EVENT',
  running: 'CONTAINER_STARTED_EVENT',
  exited: 'CONTAINER_STOPPED_EVENT',
  removed: 'CONTAINER_DELETED_EVENT',
} as const;

export type ContainerStep = keyof typeof eventTypes;

type ListedRuntime = Pick<Runtime, 'getPods' | 'getPod' | 'getPodStatus'>;

/**
 * A fake runtime: its containers, its responses and, independent of both, the events of its stream. Containers are named `pod/container`.
 */
export class EventRuntime {
  readonly calls: string[] = [];
  /** Runs before each call; throw to fail the call, wait to delay it. */
  intercept: (call: string) => Promise<void> = async () => {};
  /** Runs before each stream opens. */
  connect: (signal: AbortSignal) => Promise<void> = async () => {};
  readonly #clock: Clock;
  readonly #states = new Map<string, RuntimeContainerState>();
  readonly #streams = new EventStreams();
  #inspectable: (ListedRuntime & InspectableRuntime) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get streams(): ReadonlySet<object> {
    return this.#streams.open;
  }

  readonly runtime = {
    getPods: async (): Promise<RuntimePod[]> => {
      await this.#called('getPods');
      return this.#listPods();
    },
    getPod: async (uid: string): Promise<RuntimePod | undefined> => {
      await this.#called(`getPod ${uid}`);
      return this.#listPods().find((pod) => pod.uid === uid);
    },
    getPodStatus: async ({ uid, containers }: RuntimePod): Promise<PodRuntimeStatus> => {
      await this.#called(`getPodStatus ${uid}`);
      return statusOf(uid, containers);
    },
  };

  /** The runtime with reports of changes, which the test sends with `report`. */
  get inspectableRuntime(): ListedRuntime & InspectableRuntime {
    this.#inspectable ??= {
      ...this.runtime,
      onChange: undefined,
      inspectChanges: async (uid, known, changes) => {
        const texts = changes.map(({ id, removed, sandbox }) => `${removed ? '-' : ''}${id}${sandbox ? '=known' : ''}`);
        await this.#called(`inspectChanges ${uid} ${texts.join(' ')}`);
        const pod = this.#listPods().find((one) => one.uid === uid);
        return pod && inspected(pod, known, changes);
      },
    };
    return this.#inspectable;
  }

  report(change: RuntimeChange): void {
    this.#inspectable?.onChange?.(change);
  }

  readonly containerEvents = (signal: AbortSignal): AsyncGenerator<ContainerEventLike, void, undefined> => this.#containerEvents(signal);

  /** Changes a container without sending an event. */
  change(id: string, step: ContainerStep): void {
    if (step === 'removed') this.#states.delete(id);
    else this.#states.set(id, step);
  }

  /** Sends an event for a container without changing it. */
  sendEvent(id: string, step: ContainerStep, more: Partial<ContainerEventLike> = {}): void {
    this.#streams.send({
      containerId: id,
      containerEventType: eventTypes[step],
      createdAt: BigInt(Math.round(this.#clock.now())) * 1_000_000n,
      podSandboxStatus: { metadata: { uid: podUidOf(id) } },
      containersStatuses: [],
      ...more,
    });
  }

  /** Changes a container and sends the event. */
  changeAndSend(id: string, step: ContainerStep): void {
    this.change(id, step);
    this.sendEvent(id, step);
  }

  /** The runtime ends its streams. */
  endStreams(error?: unknown): void {
    this.#streams.end(error);
  }

  takeCalls(): string[] {
    return this.calls.splice(0);
  }

  states(): Map<string, RuntimeContainerState> {
    return new Map(this.#states);
  }

  stateOf(id: string): RuntimeContainerState | undefined {
    return this.#states.get(id);
  }

  /** The status that the cache must have for a pod; `undefined` if the pod does not exist. */
  expectedStatus(uid: string): string | undefined {
    const pod = this.#listPods().find((one) => one.uid === uid);
    return pod && statusText(pod.containers);
  }

  async #called(call: string): Promise<void> {
    this.calls.push(call);
    await this.intercept(call);
  }

  async *#containerEvents(signal: AbortSignal): AsyncGenerator<ContainerEventLike, void, undefined> {
    this.calls.push('containerEvents');
    await this.connect(signal);
    yield* this.#streams.read(signal);
  }

  #listPods(): RuntimePod[] {
    const byPod = new Map<string, RuntimeContainer[]>();
    for (const [id, state] of this.#states) byPod.set(podUidOf(id), [...(byPod.get(podUidOf(id)) ?? []), containerOf(id, state)]);
    return [...byPod].map(([uid, containers]) => ({ uid, name: uid, namespace: 'ns', containers, sandboxes: [] }));
  }
}

const podUidOf = (id: string) => id.split('/')[0] ?? '';

function containerOf(id: string, state: RuntimeContainerState): RuntimeContainer {
  return { id, name: id, state, createdAt: 0n, image: '', imageId: '', imageRef: '', hash: '', podSandboxId: '' };
}

/** What the runtime reports after the changes: what no change names is as it was known. */
function inspected(pod: RuntimePod, known: PodRuntimeStatus | undefined, changes: readonly RuntimeChange[]) {
  const before = new Map((known?.name ?? '').split(' ').map((text) => text.split('=') as [string, RuntimeContainerState]));
  const changed = new Set(changes.map(({ id }) => id));
  const containers = pod.containers
    .filter(({ id }) => changed.has(id) || before.has(id))
    .map((container) => ({ ...container, state: (!changed.has(container.id) && before.get(container.id)) || container.state }));
  return { pod: { ...pod, containers }, status: statusOf(pod.uid, containers) };
}

/** A status whose name is the states of the containers. */
function statusOf(uid: string, containers: readonly RuntimeContainer[]): PodRuntimeStatus {
  return { ...emptyPodStatus(uid), name: statusText(containers) };
}

function statusText(containers: readonly RuntimeContainer[]): string {
  return containers.map(({ id, state }) => `${id}=${state}`).join(' ');
}
