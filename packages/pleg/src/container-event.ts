import type { RuntimeContainerState } from '@nodeagent/api';
import type { PodSnapshot } from './pod-events.js';

/** The fields of CRI's ContainerEventResponse that the generator reads. */
export interface ContainerEventLike {
  /** The container's ID, or the sandbox's for a sandbox event. */
  containerId: string;
  containerEventType: string;
  /** Time of the event in nanoseconds since 1970. */
  createdAt: bigint;
  podSandboxStatus?: { id?: string; metadata?: { uid: string } | null | undefined } | null | undefined;
  containersStatuses?: readonly { labels: Readonly<Record<string, string>> }[] | null | undefined;
}

/**
 * CRI's GetContainerEvents, such as `(signal) => cri.getContainerEvents({}, { signal })`: yields the events from the call until the signal
 * aborts. An error with code `CRI_UNIMPLEMENTED` means that the runtime does not support events.
 */
export type ContainerEventSource = (signal: AbortSignal) => AsyncIterable<ContainerEventLike>;

/**
 * Lifecycle stage of a container or sandbox: 0 created, 1 running, 2 exited, 3 removed. It only increases, so old, repeated and reordered
 * events are recognised and ignored.
 */
export type ContainerStage = 0 | 1 | 2 | 3;

const stageOfEvent: Readonly<Record<string, ContainerStage>> = {
  CONTAINER_CREATED_EVENT: 0,
  CONTAINER_STARTED_EVENT: 1,
  CONTAINER_STOPPED_EVENT: 2,
  CONTAINER_DELETED_EVENT: 3,
};

/** The stage that an event reports; 0 for an unknown event type. */
export function eventStage({ containerEventType }: Pick<ContainerEventLike, 'containerEventType'>): ContainerStage {
  return Object.hasOwn(stageOfEvent, containerEventType) ? (stageOfEvent[containerEventType] ?? 0) : 0;
}

/** The stage of a listed state; `undefined` stands for a container that is not listed (any more). */
export function listedStage(state: RuntimeContainerState | undefined): ContainerStage {
  if (state === undefined) return 3;
  if (state === 'running') return 1;
  return state === 'exited' ? 2 : 0;
}

/**
 * The UID of the event's pod: from the sandbox, else from a container's label; undefined if the event has neither, as after the sandbox's
 * removal.
 */
export function eventPodUid({ podSandboxStatus, containersStatuses }: ContainerEventLike): string | undefined {
  const uid = podSandboxStatus?.metadata?.uid;
  if (uid) return uid;
  for (const { labels } of containersStatuses ?? []) if (labels['io.kubernetes.pod.uid']) return labels['io.kubernetes.pod.uid'];
  return undefined;
}

/** Whether the event reports a later stage of the container than the last observed state of the pod. */
export function isNewStage(containerId: string, stage: ContainerStage, pod: PodSnapshot | undefined): boolean {
  const seen = [...(pod?.containers ?? []), ...(pod?.sandboxes ?? [])].find(({ id }) => id === containerId);
  return seen === undefined ? stage !== 3 : stage > listedStage(seen.state);
}
