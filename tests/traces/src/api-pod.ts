import {
  apiStatusError,
  type Clock,
  type Event,
  type Informer,
  type KubeObject,
  type Node,
  type ObjectChange,
  type ObjectKey,
  type Pod,
  type PodStatus,
} from '@nodeagent/api';
import { computeQosClass, formatTime, isTerminalPhase } from '@nodeagent/api/helpers';
import type { NodeAgentOptions } from '@nodeagent/core/node';
import { createEventRecorder } from '@nodeagent/event-recorder';
import { applyStatusPatch, type StatusPatch } from '@nodeagent/status-manager/decisions';
import type { ScenarioApi } from './scenario.js';
import type { ApiWrites } from './trace.js';

/** Delay from a change at the API server until the node receives it. */
const watchMs = 2;
/** Duration of a request; a creation includes admission. */
const callMs = 5;
const createMs = 20;

export interface ApiPodOptions {
  clock: Clock;
  node: Node;
  /** Receives each written status. */
  onStatus(status: PodStatus): void;
}

/** One pod at an API server, with the features that scenarios need: the node's lists and gets, and the rules of the pod resource: generations, graceful deletion, statuses with several writers.
 */
export class ApiPod implements ScenarioApi {
  readonly #options: ApiPodOptions;
  readonly #watches = new Set<() => void>();
  readonly #writes: ApiWrites = { status: 0, events: 0 };
  #pod: Pod | undefined;
  #version = 0;

  constructor(options: ApiPodOptions) {
    this.#options = options;
  }

  /** The API server for the node's next agent, on that agent's clock. */
  cluster(clock: Clock): NonNullable<NodeAgentOptions['cluster']> {
    const call = async <T>(answer: () => T, signal: AbortSignal | undefined, ms = callMs): Promise<T> => {
      await clock.sleep(ms, signal);
      return answer();
    };
    const write = <T>(kind: keyof ApiWrites, answer: () => T, signal: AbortSignal | undefined): Promise<T> => {
      this.#writes[kind]++;
      return call(answer, signal);
    };
    return {
      nodes: { informer: () => informerOf(clock, () => this.#options.node, new Set()) },
      pods: {
        informer: () => informerOf(clock, () => this.#pod, this.#watches),
        get: (key, options) => call(() => this.#found(key), options?.signal),
        create: (pod, options) => call(() => this.#createMirror(pod), options?.signal, createMs),
        patch: (key, patch, options) => write('status', () => this.#patch(key, patch), options?.signal),
        delete: (key, options) =>
          call(() => {
            this.#found(key, options?.preconditions?.uid);
            this.#set(undefined);
          }, options?.signal),
      },
      storage: {
        serviceAccounts: {
          createToken: (_, { spec }, options) =>
            call(
              () => ({ spec, status: { token: 'a token', expirationTimestamp: formatTime(clock.now() + 3_607_000) } }),
              options?.signal,
              createMs,
            ),
        },
      },
      createRecorder: (context) =>
        createEventRecorder({
          ...context,
          events: {
            // As on a real API server, events of the Node are not those of the scenario.
            create: (event, options) =>
              event.involvedObject.kind === 'Node' ? call(() => event, options?.signal) : write('events', () => event, options?.signal),
            patch: ({ name }, patch, options) => write('events', () => ({ ...(patch as Event), metadata: { name } }), options?.signal),
          },
        }),
    };
  }

  /** The writes of all agents so far. */
  get writes(): Readonly<ApiWrites> {
    return this.#writes;
  }

  get pod(): Pod | undefined {
    return this.#pod;
  }

  create(pod: Pod): void {
    this.#set(pod);
  }

  /** Changes the spec: a new generation. */
  update(change: (pod: Pod) => Pod): void {
    if (this.#pod) this.#set(nextGeneration(change(this.#pod)));
  }

  /** Writes the status as another client than the node. */
  updateStatus(change: (status: PodStatus) => PodStatus): void {
    if (this.#pod) this.#set({ ...this.#pod, status: change(this.#pod.status ?? {}) });
  }

  /** Deletes the pod within its grace period; immediately with 0 or if it has terminated. */
  delete(gracePeriodSeconds = this.#pod?.spec?.terminationGracePeriodSeconds ?? 30): void {
    if (this.#pod === undefined) return;
    const grace = isTerminalPhase(this.#pod.status?.phase) ? 0 : gracePeriodSeconds;
    const deletionTimestamp = formatTime(this.#options.clock.now() + grace * 1000);
    const metadata = { ...this.#pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: grace };
    this.#set(nextGeneration({ ...this.#pod, metadata }));
    if (grace === 0) this.#set(undefined);
  }

  #found({ name }: ObjectKey, uid?: string): Pod {
    const pod = this.#pod?.metadata?.name === name ? this.#pod : undefined;
    if (pod === undefined) throw apiStatusError({ code: 404, reason: 'NotFound', message: `pods "${name}" not found` });
    if (uid === undefined || uid === pod.metadata?.uid) return pod;
    throw apiStatusError({ code: 409, reason: 'Conflict', message: 'the UID in the precondition differs' });
  }

  #createMirror(pod: Pod): Pod {
    const status = { ...pod.status, qosClass: computeQosClass(pod) };
    return this.#set({ ...pod, metadata: { ...pod.metadata, uid: `mirror-${this.#version}` }, status });
  }

  #patch(key: ObjectKey, patch: unknown): Pod {
    const { metadata, status: statusPatch } = patch as { metadata: { uid: string }; status: StatusPatch };
    const pod = this.#found(key, metadata.uid);
    const status = applyStatusPatch(pod.status ?? {}, statusPatch);
    this.#options.onStatus(status);
    return this.#set({ ...pod, status });
  }

  #set(pod: Pod): Pod;
  #set(pod: undefined): undefined;
  #set(pod: Pod | undefined): Pod | undefined {
    this.#pod = pod && { ...pod, metadata: { ...pod.metadata, resourceVersion: String(++this.#version) } };
    for (const changed of this.#watches) changed();
    return this.#pod;
  }
}

/** An informer of a single object, which receives each of its versions with a delay. */
function informerOf<T extends KubeObject>(clock: Clock, current: () => T | undefined, watches: Set<() => void>): Informer<T> {
  const listeners = new Set<(change: ObjectChange<T> | undefined) => void>();
  let seen: T | undefined;
  let hasSynced = false;
  const notify = (object: T | undefined) => {
    const [old, first] = [seen, !hasSynced];
    seen = object;
    hasSynced = true;
    const change: ObjectChange<T> = { ...(old && { old }), ...(object && { object }) };
    for (const listener of listeners) {
      if (old !== object) listener(change);
      if (first) listener(undefined);
    }
  };
  const changed = () => {
    const object = current();
    clock.setTimeout(() => notify(object), watchMs);
  };
  return {
    get hasSynced() {
      return hasSynced;
    },
    list: () => (seen ? [seen] : []),
    get: ({ name }) => (seen?.metadata?.name === name ? seen : undefined),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async start() {
      if (watches.has(changed)) return;
      watches.add(changed);
      changed();
    },
    async stop() {
      watches.delete(changed);
    },
  };
}

function nextGeneration(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, generation: (pod.metadata?.generation ?? 0) + 1 } };
}
