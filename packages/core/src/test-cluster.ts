import {
  apiStatusError,
  type DeleteOptions,
  type Informer,
  type KubeObject,
  type Node,
  NodeAgentError,
  type ObjectChange,
  type ObjectKey,
  type Pod,
  type PodStatus,
} from '@nodeagent/api';
import { formatTime, isTerminalPhase } from '@nodeagent/api/helpers';
import { applyStatusPatch, type StatusPatch } from '@nodeagent/status-manager/decisions';
import type { VirtualClock } from '@nodeagent/testing';
import type { ClusterOptions } from './cluster/cluster.js';

/** For this package's tests: an API server for pods and nodes, which can become unreachable. */
export interface TestCluster {
  /** The `cluster` of an agent. */
  options: ClusterOptions;
  /** Creates a pod as another client. */
  create(pod: Pod): void;
  /** Deletes a pod as another client, within the grace period; at once with 0. */
  remove(name: string, gracePeriodSeconds?: number): void;
  setNode(node: Node | undefined): void;
  pod(name: string): Pod | undefined;
  /** While unreachable, calls fail and informers receive no changes. */
  setUnreachable(isUnreachable: boolean): void;
  /** The agent's requests, such as `patch web` or `get web`. */
  requests: { at: number; call: string }[];
  calls(verb?: string): string[];
}

/** Delays of a change until informers receive it, and of a response to a call. */
const [watchMs, callMs] = [2, 3];

export function createTestCluster(clock: VirtualClock): TestCluster {
  const pods = createStore<Pod>(clock);
  const nodes = createStore<Node>(clock);
  const requests: TestCluster['requests'] = [];
  let unreachable = false;
  let uids = 0;

  const call = async <T>(text: string, answer: () => T, signal: AbortSignal | undefined): Promise<T> => {
    requests.push({ at: clock.monotonic(), call: text });
    await clock.sleep(callMs, signal);
    if (unreachable) {
      const options = { retryable: true, details: { stage: 'connect' } };
      throw new NodeAgentError('ApiUnreachable', 'connect ECONNREFUSED 192.0.2.10:6443', options);
    }
    return answer();
  };
  const refuse = (code: number, reason: string): never => {
    throw apiStatusError({ code, reason, message: reason });
  };
  const found = ({ name }: ObjectKey, uid?: string): Pod => {
    const pod = pods.objects.get(name) ?? refuse(404, 'NotFound');
    return uid === undefined || uid === pod.metadata?.uid ? pod : refuse(409, 'Conflict');
  };
  const remove = (pod: Pod, gracePeriodSeconds: number) => {
    const name = pod.metadata?.name ?? '';
    if (gracePeriodSeconds === 0 || isTerminalPhase(pod.status?.phase)) return pods.set(name, undefined);
    const deletionTimestamp = formatTime(clock.now() + gracePeriodSeconds * 1_000);
    const metadata = { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: gracePeriodSeconds };
    return pods.set(name, { ...pod, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 } });
  };

  return {
    options: {
      pods: {
        informer: () => pods.informer,
        get: (key, options) => call(`get ${key.name}`, () => found(key), options?.signal),
        create: (pod, options) =>
          call(
            `create ${pod.metadata?.name}`,
            () => {
              const name = pod.metadata?.name ?? '';
              if (pods.objects.has(name)) refuse(409, 'AlreadyExists');
              pods.set(name, { ...pod, metadata: { ...pod.metadata, uid: `api-${++uids}`, creationTimestamp: formatTime(clock.now()) } });
              return found({ name });
            },
            options?.signal,
          ),
        patch: (key, patch, options) =>
          call(
            `patch ${key.name}`,
            () => {
              const { metadata, status } = patch as { metadata: { uid: string }; status: StatusPatch };
              const pod = found(key, metadata.uid);
              pods.set(key.name, { ...pod, status: applyStatusPatch(pod.status as PodStatus, status) });
              return found(key);
            },
            options?.signal,
          ),
        delete: (key, { signal, gracePeriodSeconds = 30, preconditions }: DeleteOptions = {}) =>
          call(`delete ${key.name}`, () => remove(found(key, preconditions?.uid), gracePeriodSeconds), signal),
      },
      nodes: { informer: () => nodes.informer },
    },
    create: (pod) => pods.set(pod.metadata?.name ?? '', pod),
    remove: (name, grace = 30) => remove(found({ name }), grace),
    setNode: (node) => nodes.set('node', node),
    pod: (name) => pods.objects.get(name),
    setUnreachable(now) {
      unreachable = now;
      for (const store of [pods, nodes]) store.setDisconnected(now);
    },
    requests,
    calls: (verb = '') => requests.map((request) => request.call).filter((text) => text.startsWith(verb)),
  };
}

/** Objects by name, and an informer of them. */
function createStore<T extends KubeObject>(clock: VirtualClock) {
  const objects = new Map<string, T>();
  let seen = new Map<string, T>();
  let started = false;
  let hasSynced = false;
  let disconnected = false;
  let version = 0;
  const listeners = new Set<(change: ObjectChange<T> | undefined) => void>();
  const emit = (change: ObjectChange<T> | undefined) => {
    for (const listener of listeners) listener(change);
  };
  const catchUp = () => {
    if (!started || disconnected) return;
    const before = seen;
    seen = new Map(objects);
    for (const [name, old] of before) if (!seen.has(name)) emit({ old });
    for (const [name, object] of seen) {
      const old = before.get(name);
      if (old !== object) emit({ object, ...(old && { old }) });
    }
    if (hasSynced) return;
    hasSynced = true;
    emit(undefined);
  };
  const scheduleCatchUp = () => void clock.setTimeout(catchUp, watchMs);
  const informer: Informer<T> = {
    get hasSynced() {
      return hasSynced;
    },
    list: () => [...seen.values()],
    get: ({ name }) => seen.get(name),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async start() {
      if (started) return;
      started = true;
      scheduleCatchUp();
    },
    async stop() {
      started = false;
    },
  };
  return {
    objects,
    informer,
    set(name: string, object: T | undefined) {
      if (object) objects.set(name, { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } });
      else objects.delete(name);
      scheduleCatchUp();
    },
    setDisconnected(now: boolean) {
      disconnected = now;
      scheduleCatchUp();
    },
  };
}
