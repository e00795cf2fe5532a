import {
  invalidOptionText,
  type PodLifecycleEvent,
  type PodLifecycleEventType,
  type RuntimeContainer,
  type RuntimeContainerState,
  type RuntimePod,
} from '@nodeagent/api';

/** The generator's container states. A created container counts as unknown, an absent one as non-existent. */
export type PlegContainerState = 'running' | 'exited' | 'unknown' | 'non-existent';

/** The fields of a {@link RuntimePod} that the generator compares: IDs and states. */
export interface PodSnapshot {
  uid: string;
  containers: readonly Pick<RuntimeContainer, 'id' | 'state'>[];
  /** Sandboxes are treated like containers. Default: none. */
  sandboxes?: readonly Pick<RuntimeContainer, 'id' | 'state'>[];
}

/**
 * The generator's state of a container that the runtime lists with this state; `undefined` is one that it does not list. Throws
 * `InvalidOption` for the name of another vocabulary, such as CRI's `CONTAINER_RUNNING`.
 */
export function plegContainerState(state: RuntimeContainerState | undefined): PlegContainerState {
  switch (state) {
    case undefined:
      return 'non-existent';
    case 'running':
    case 'exited':
      return state;
    case 'created':
    case 'unknown':
      return 'unknown';
    default: {
      const hint = 'the states are created, running, exited and unknown';
      throw invalidOptionText('state', `unrecognized container state: ${state}`, { hint });
    }
  }
}

/** The events of a container's state change. A container that vanished without an observed exit gets ContainerDied first. */
export function transitionEvents(from: PlegContainerState, to: PlegContainerState): readonly PodLifecycleEventType[] {
  if (from === to) return none;
  switch (to) {
    case 'running':
      return started;
    case 'exited':
      return died;
    case 'unknown':
      return changed;
    case 'non-existent':
      return from === 'exited' ? removed : diedAndRemoved;
  }
}

/**
 * The events between two snapshots of a pod; `undefined` stands for a pod that does not exist. The order is that of the old containers, the
 * old sandboxes, the new containers and the new sandboxes, each id once. Unchanged pods cost one comparison and no allocation.
 */
export function computePodEvents(old: PodSnapshot | undefined, current: PodSnapshot | undefined): readonly PodLifecycleEvent[] {
  if (
    old === current ||
    (old && current && sameStates(old.containers, current.containers) && sameStates(old.sandboxes ?? [], current.sandboxes ?? []))
  ) {
    return noEvents;
  }
  const podUid = (current ?? old)?.uid ?? '';
  const before = statesById(old);
  const after = statesById(current);
  const events: PodLifecycleEvent[] = [];
  for (const containerId of new Set([...before.keys(), ...after.keys()])) {
    for (const type of transitionEvents(plegContainerState(before.get(containerId)), plegContainerState(after.get(containerId)))) {
      events.push({ podUid, type, containerId });
    }
  }
  return events;
}

/**
 * The events between two complete listings of a runtime: those of the pods of the old listing, in its order, then those of new pods. If a pod
 * is listed twice, the last entry counts.
 */
export function diffPods(old: Iterable<PodSnapshot>, current: Iterable<PodSnapshot>): PodLifecycleEvent[] {
  const before = podsByUid(old);
  const after = podsByUid(current);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((uid) => computePodEvents(before.get(uid), after.get(uid)));
}

const podsByUid = (pods: Iterable<PodSnapshot>) => new Map(Array.from(pods, (pod) => [pod.uid, pod]));

const noEvents: readonly PodLifecycleEvent[] = [];
const none: readonly PodLifecycleEventType[] = [];
const started: readonly PodLifecycleEventType[] = ['ContainerStarted'];
const died: readonly PodLifecycleEventType[] = ['ContainerDied'];
const changed: readonly PodLifecycleEventType[] = ['ContainerChanged'];
const removed: readonly PodLifecycleEventType[] = ['ContainerRemoved'];
const diedAndRemoved: readonly PodLifecycleEventType[] = ['ContainerDied', 'ContainerRemoved'];

function sameStates(before: PodSnapshot['containers'], after: PodSnapshot['containers']): boolean {
  if (before.length !== after.length) return false;
  for (let i = 0; i < before.length; i++) {
    const [a, b] = [before[i], after[i]];
    if (a?.id !== b?.id || a?.state !== b?.state) return false;
  }
  return true;
}

/** In order of appearance. If an ID is listed twice, the first state counts. */
function statesById(pod: PodSnapshot | undefined): Map<string, RuntimeContainerState> {
  const states = new Map<string, RuntimeContainerState>();
  if (pod === undefined) return states;
  for (const list of [pod.containers, pod.sandboxes ?? []]) {
    for (const { id, state } of list) if (!states.has(id)) states.set(id, state);
  }
  return states;
}

/** Whether the pod has a ready sandbox, and so counts as running. */
export function hasRunningSandbox(pod: Pick<RuntimePod, 'sandboxes'>): boolean {
  return pod.sandboxes.some(({ state }) => state === 'running');
}
