import type { RuntimeContainerState } from '@nodeagent/api';
import type { PodSnapshot } from './pod-events.js';

/** What the generator reads of CRI's ContainerEventResponse; that message fits as it is. */
export interface ContainerEventLike {
  /** A container's id, or the sandbox's for an event of the sandbox. */
  containerId: string;
  containerEventType: string;
  /** When it happened, in nanoseconds since 1970. */
  createdAt: bigint;
  podSandboxStatus?: { metadata?: { uid: string } | null | undefined } | null | undefined;
  containersStatuses?: readonly { labels: Readonly<Record<string, string>> }[] | null | undefined;
}

/**
 * CRI's GetContainerEvents, such as `(signal) => cri.getContainerEvents({}, { signal })`: events from the call on, until the signal
 * aborts. An error with code `CRI_UNIMPLEMENTED` means that the runtime has no events.
 */
export type ContainerEventSource = (signal: AbortSignal) => AsyncIterable<ContainerEventLike>;

/**
 * How far a container or sandbox has come; it only ever goes forward: 0 created, 1 running, 2 exited, 3 removed. That makes old,
 * repeated and reordered events harmless: what they tell is known already.
 */
export type LifeStage = 0 | 1 | 2 | 3;

const stageOfEvent: Readonly<Record<string, LifeStage>> = {
  CONTAINER_CREATED_EVENT: 0,
  CONTAINER_STARTED_EVENT: 1,
  CONTAINER_STOPPED_EVENT: 2,
  CONTAINER_DELETED_EVENT: 3,
};

/** The stage that an event tells; of a type that is not known only that the container exists. */
export function eventStage({ containerEventType }: Pick<ContainerEventLike, 'containerEventType'>): LifeStage {
  return Object.hasOwn(stageOfEvent, containerEventType) ? (stageOfEvent[containerEventType] ?? 0) : 0;
}

/** The stage of a listed state; `undefined` is a container that is not listed (any more). */
export function listedStage(state: RuntimeContainerState | undefined): LifeStage {
  if (state === undefined) return 3;
  if (state === 'running') return 1;
  return state === 'exited' ? 2 : 0;
}

/** Whose event it is: as the sandbox says, else a container's label; undefined if it names no pod, as after the sandbox's removal. */
export function eventPodUid({ podSandboxStatus, containersStatuses }: ContainerEventLike): string | undefined {
  const uid = podSandboxStatus?.metadata?.uid;
  if (uid) return uid;
  for (const { labels } of containersStatuses ?? []) if (labels['io.kubernetes.pod.uid']) return labels['io.kubernetes.pod.uid'];
  return undefined;
}

/** Whether the pod as last seen does not show yet that this container came this far. */
export function isNews(containerId: string, stage: LifeStage, pod: PodSnapshot | undefined): boolean {
  const seen = [...(pod?.containers ?? []), ...(pod?.sandboxes ?? [])].find(({ id }) => id === containerId);
  return seen === undefined ? stage !== 3 : stage > listedStage(seen.state);
}
