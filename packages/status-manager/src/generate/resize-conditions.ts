import {
  type Clock,
  type EventRecorder,
  errorMessage,
  formatTime,
  type Pod,
  type PodCondition,
  type PodSyncResult,
  podReference,
  podResizeDetails,
  podUid,
} from '@nodeagent/api';
import { podCondition, podConditions } from '../conditions.js';

/** Tells in conditions and events how resizes in place go: KEP-1287, "Resize CPU and Memory Resources assigned to Containers". */
export interface ResizeConditions {
  /**
   * Takes what was observed of a pod and returns its resize conditions. Records ResizeStarted when a resize begins and
   * ResizeCompleted when none is left to do.
   */
  observe(pod: Pod, inProgress: boolean): PodCondition[];
  /** As observed last. */
  get(podUid: string): PodCondition[];
  /** Takes the outcome of a sync: a failed resize becomes the condition's reason and the event ResizeError, a successful one ends that. */
  update(podUid: string, result: PodSyncResult): void;
  /** Forgets the pods that are not in the set. */
  retain(known: ReadonlySet<string>): void;
}

interface Resize {
  pod: Pod;
  condition: PodCondition;
}

/** Holds an entry only for pods that are being resized. */
export function createResizeConditions({ clock, recorder }: { clock: Clock; recorder: EventRecorder }): ResizeConditions {
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

  return {
    observe(pod, inProgress) {
      const uid = podUid(pod);
      const before = resizes.get(uid);
      if (!inProgress) {
        resizes.delete(uid);
        if (before) recorder.event(podReference(pod), 'Normal', 'ResizeCompleted', `Pod resize completed: ${podResizeDetails(pod)}`);
        return [];
      }
      const isNew = before === undefined || before.pod.metadata?.generation !== pod.metadata?.generation;
      if (isNew) recorder.event(podReference(pod), 'Normal', 'ResizeStarted', `Pod resize started: ${podResizeDetails(pod)}`);
      const failure = isNew ? '' : (before.condition.message ?? '');
      resizes.set(uid, { pod, condition: isNew ? conditionOf(pod, before?.condition, failure) : before.condition });
      return get(uid);
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
