import {
  type Clock,
  type EventRecorder,
  errorMessage,
  noEvents,
  type Pod,
  type PodCondition,
  type PodSyncResult,
  type ResourceRequirements,
  systemClock,
} from '@nodeagent/api';
import { formatTime, podReference, podResizeDetails, podUid } from '@nodeagent/api/helpers';
import { equalLists } from '../compare/equal-data.js';
import { equalRequirements } from '../compare/equal-values.js';
import { podCondition, podConditions } from '../conditions.js';

/**
 * Reports the progress of in-place resizes in conditions and events: KEP-1287, "Resize CPU and Memory Resources assigned to Containers".
 */
export interface ResizeConditions {
  /** Records that a resize was allocated; takes the requested pod. */
  begin(pod: Pod): void;
  /**
   * Returns the pod's condition `PodResizeInProgress`, if it has one, from the observed progress. Emits ResizeCompleted when the last
   * allocated resize is complete.
   */
  observe(pod: Pod, inProgress: boolean): PodCondition[];
  /** The last observed conditions. */
  get(podUid: string): PodCondition[];
  /** Processes the result of a sync: a failed resize sets the condition's reason and emits ResizeError, a successful one clears it. */
  update(podUid: string, result: PodSyncResult): void;
  /** Removes the pods that are not in the set. */
  retain(known: ReadonlySet<string>): void;
}

interface Resize {
  pod: Pod;
  condition: PodCondition;
}

/** Holds entries only for pods with a resize in progress. */
export function createResizeConditions(options: { clock?: Clock; recorder?: EventRecorder } = {}): ResizeConditions {
  const { clock = systemClock, recorder = noEvents } = options;
  const resizes = new Map<string, Resize>();
  const get = (uid: string) => {
    const resize = resizes.get(uid);
    return resize ? [resize.condition] : [];
  };
  const conditionOf = (pod: Pod, before: PodCondition | undefined, failure: string): PodCondition => {
    const condition = podCondition(podConditions.resizeInProgress, true, pod.metadata?.generation, failure && 'Error', failure);
    const now = formatTime(clock.now());
    const changed = before === undefined || (before.message ?? '') !== failure;
    return { ...condition, lastProbeTime: now, lastTransitionTime: changed ? now : (before.lastTransitionTime ?? now) };
  };
  const begin = (pod: Pod) => {
    const before = resizes.get(podUid(pod));
    resizes.set(podUid(pod), { pod, condition: conditionOf(pod, before?.condition, '') });
  };

  return {
    begin,
    observe(pod, inProgress) {
      const uid = podUid(pod);
      const before = resizes.get(uid);
      if (inProgress && before === undefined) begin(pod);
      // The result of a sync that started before the resize was allocated is ignored.
      if (inProgress || before === undefined || isBeforeGrant(pod, before.pod)) return get(uid);
      resizes.delete(uid);
      const details = podResizeDetails(pod, '', before.condition.observedGeneration);
      recorder.event(podReference(pod), 'Normal', 'ResizeCompleted', `Pod resize completed: ${details}`);
      return [];
    },
    get,
    update(uid, { results }) {
      const resize = resizes.get(uid);
      const result = results.find(({ action }) => action === 'ResizePodInPlace');
      if (resize === undefined || result === undefined) return;
      const { pod, condition } = resize;
      const failure = result.error ? errorMessage(result.error) : '';
      if (failure === (condition.message ?? '')) return;
      resizes.set(uid, { pod, condition: conditionOf(pod, condition, failure) });
      if (failure) recorder.event(podReference(pod), 'Warning', 'ResizeError', `Pod resize error: ${podResizeDetails(pod, failure)}`);
    },
    retain(known) {
      for (const uid of resizes.keys()) if (!known.has(uid)) resizes.delete(uid);
    },
  };
}

/**
 * Whether the pod is from before the allocation: its generation is older, or the resize was deferred first and the pod still has its old
 * resources.
 */
function isBeforeGrant(pod: Pod, granted: Pod): boolean {
  const [generation = 0, ofGrant = 0] = [pod.metadata?.generation, granted.metadata?.generation];
  return generation < ofGrant || (generation === ofGrant && !equalLists(resourcesOf(pod), resourcesOf(granted), equalRequirements));
}

const resourcesOf = ({ spec }: Pod): (ResourceRequirements | undefined)[] => [
  spec?.resources,
  ...[...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ resources }) => resources),
];
