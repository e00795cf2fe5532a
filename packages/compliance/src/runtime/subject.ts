import type {
  Container,
  Pod,
  PodRuntimeStatus,
  PodSpec,
  PodSyncResult,
  ReclaimingRuntime,
  ResizableRuntime,
  Runtime,
  RuntimeContainerStatus,
  RuntimePod,
  RuntimeSyncOptions,
  StreamingRuntime,
  VersionedRuntime,
} from '@nodeagent/api';
import type { ContainerKind } from '../cri/subject.js';
import type { SuiteCase } from '../suite/suite.js';
import { suitePod } from '../support/pods.js';
import { type Advance, eventually, settled } from '../support/waiting.js';

/** Optional capabilities of a runtime; `without` of the suite's options skips their cases. */
export type RuntimeCapability = 'ResizableRuntime' | 'StreamingRuntime' | 'ReclaimingRuntime' | 'VersionedRuntime';

type EveryRuntime = Runtime & ResizableRuntime & StreamingRuntime & ReclaimingRuntime & VersionedRuntime;

/** A runtime under test. */
export interface RuntimeSubject {
  /** A runtime without pods, with the methods of its capabilities. */
  runtime: Runtime & Partial<EveryRuntime>;
  /**
   * The configuration of a container of that kind: its image, and a command if the runtime needs one. `cannot-start`: its start fails, for
   * example because its image is missing.
   */
  container(kind: ContainerKind | 'cannot-start'): Partial<Container>;
  advance: Advance;
}

/** The argument of a case: one-line helpers for the steps of a pod worker. */
export interface RuntimeSession {
  /** The runtime; methods of a capability are present if the case requires it. */
  runtime: EveryRuntime;
  advance: Advance;
  /** A pod with containers of these kinds by name. */
  pod(name: string, kinds: Readonly<Record<string, ContainerKind | 'cannot-start'>>, spec?: Partial<PodSpec>): Pod;
  /** The runtime's pod; empty if it has none. */
  observed(pod: Pod): Promise<RuntimePod>;
  status(pod: Pod): Promise<PodRuntimeStatus>;
  /** Gets the status and syncs once. */
  sync(pod: Pod, options?: RuntimeSyncOptions): Promise<PodSyncResult>;
  /** Syncs until every container of the pod's spec runs. */
  run(pod: Pod): Promise<void>;
  /** Syncs until the condition holds for the pod's status. */
  syncUntil(what: string, pod: Pod, condition: (status: PodRuntimeStatus) => boolean): Promise<PodRuntimeStatus>;
  kill(pod: Pod, gracePeriodOverride?: number): Promise<PodSyncResult>;
  /** Advances the clock until the promise settles. */
  settled<T>(promise: Promise<T>): Promise<T>;
  /** The uids of a listing. */
  uids(all: boolean): Promise<string[]>;
}

const limitMs = 120_000;

/** A case of the runtime's suite. */
export function runtimeCase(
  name: string,
  run: (session: RuntimeSession) => Promise<void>,
  capability?: RuntimeCapability,
): SuiteCase<RuntimeSubject> {
  return { name, ...(capability && { capability }), run: (subject) => run(openSession(subject)) };
}

/** The newest container of that name. */
export function newest({ containerStatuses }: PodRuntimeStatus, name: string): RuntimeContainerStatus | undefined {
  return containerStatuses.find((container) => container.name === name);
}

/** The errors of a sync or a kill. */
export function errorsOf({ error, results }: PodSyncResult): unknown[] {
  return [error, ...results.map((result) => result.error)].filter((each) => each !== undefined);
}

function openSession({ runtime, container, advance }: RuntimeSubject): RuntimeSession {
  const identity = ({ metadata: { uid = '', name = '', namespace = '' } = {} }: Pod) => ({ uid, name, namespace });
  const session: RuntimeSession = {
    runtime: runtime as EveryRuntime,
    advance,
    pod: (name, kinds, spec) => {
      const containers = Object.entries(kinds).map(([each, kind]): Container => ({ name: each, image: kind, ...container(kind) }));
      return suitePod(name, { spec: { containers, ...spec } });
    },
    settled: (promise) => settled(advance, 'the call settles', promise, limitMs),
    async observed(pod) {
      const found = await session.settled(runtime.getPod(pod.metadata?.uid ?? ''));
      return found ?? { ...identity(pod), containers: [], sandboxes: [] };
    },
    status: async (pod) => session.settled(runtime.getPodStatus(await session.observed(pod))),
    sync: async (pod, options) => session.settled(runtime.syncPod(pod, await session.status(pod), options)),
    async run(pod) {
      const names = pod.spec?.containers.map(({ name }) => name) ?? [];
      await session.syncUntil('its containers run', pod, (status) => names.every((name) => newest(status, name)?.state === 'running'));
    },
    async syncUntil(what, pod, condition) {
      let status = await session.status(pod);
      await eventually(
        advance,
        what,
        async () => {
          if (condition(status)) return true;
          await session.settled(runtime.syncPod(pod, status));
          status = await session.status(pod);
          return condition(status);
        },
        limitMs,
      );
      return status;
    },
    kill: async (pod, gracePeriodOverride) => session.settled(runtime.killPod(pod, await session.observed(pod), gracePeriodOverride)),
    uids: async (all) => (await session.settled(runtime.getPods(all))).map(({ uid }) => uid).sort(),
  };
  return session;
}
