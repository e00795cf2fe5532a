import type { ObjectReference, Pod, PodConfigOperation, PodConfigUpdate } from '@nodeagent/api';
import {
  configMirrorAnnotation,
  configSeenAnnotation,
  configSourceAnnotation,
  formatPod,
  podFullName,
  podReference,
  podUid,
} from '@nodeagent/api/helpers';
import { isSameJson } from './same-json.js';

/** The state of the merge: the pods of each ready source, by UID. */
export type PodConfigState = ReadonlyMap<string, ReadonlyMap<string, Pod>>;

/** A warning about an omitted pod. */
export interface PodConfigWarning {
  object: ObjectReference;
  reason: string;
  message: string;
}

export interface MergeResult {
  state: PodConfigState;
  /** In the order of processing. */
  updates: PodConfigUpdate[];
  warnings: PodConfigWarning[];
}

/**
 * The changes when a source emits the list `pods`. `now` (milliseconds since 1970) becomes the annotation of new pods. The first list of a
 * source always causes an update, if necessary an empty `ADD`, which marks the source as ready.
 */
export function mergeSource(state: PodConfigState, source: string, pods: readonly Pod[], now: number): MergeResult {
  const before = state.get(source) ?? new Map<string, Pod>();
  const after = new Map<string, Pod>();
  const changes: Record<PodConfigOperation, Pod[]> = { REMOVE: [], ADD: [], UPDATE: [], DELETE: [], RECONCILE: [] };
  const { unique, warnings } = withoutDuplicates(source, pods);
  for (const listed of unique) {
    const uid = podUid(listed);
    const existing = before.get(uid);
    if (existing !== undefined && listedAs.get(existing) === listed) {
      after.set(uid, existing);
      continue;
    }
    if (existing === undefined) {
      const added = withAnnotations(listed, { [configSourceAnnotation]: source, [configSeenAnnotation]: formatNanoTime(now) });
      listedAs.set(added, listed);
      after.set(uid, added);
      changes.ADD.push(added);
      continue;
    }
    const [operation, merged] = mergePod(existing, withAnnotations(listed, { [configSourceAnnotation]: source }));
    listedAs.set(merged, listed);
    after.set(uid, merged);
    if (operation !== undefined) changes[operation].push(merged);
  }
  for (const [uid, pod] of before) if (!after.has(uid)) changes.REMOVE.push(pod);

  const updates: PodConfigUpdate[] = [];
  for (const op of ['REMOVE', 'ADD', 'UPDATE', 'DELETE'] as const) {
    if (changes[op].length > 0) updates.push({ op, pods: changes[op], source });
  }
  const firstList = !state.has(source);
  if (firstList && updates.every(({ op }) => op === 'REMOVE')) updates.push({ op: 'ADD', pods: [], source });
  if (changes.RECONCILE.length > 0) updates.push({ op: 'RECONCILE', pods: changes.RECONCILE, source });
  return { state: new Map(state).set(source, after), updates, warnings };
}

/** The last listed object of each stored pod; the same object means an unchanged pod. */
const listedAs = new WeakMap<Pod, Pod>();

function withoutDuplicates(source: string, pods: readonly Pod[]): { unique: Pod[]; warnings: PodConfigWarning[] } {
  const names = new Set<string>();
  const unique: Pod[] = [];
  const warnings: PodConfigWarning[] = [];
  for (const pod of pods) {
    const fullName = podFullName(pod);
    if (names.has(fullName)) {
      warnings.push({
        object: podReference(pod),
        reason: 'FailedValidation',
        message: `Error validating pod ${formatPod(pod)} from ${source} due to duplicate pod name "${pod.metadata?.name ?? ''}", ignoring`,
      });
      continue;
    }
    names.add(fullName);
    unique.push(pod);
  }
  return { unique, warnings };
}

/** Compares a listed pod with the stored one; returns the operation and the pod to store. */
function mergePod(existing: Pod, listed: Pod): [PodConfigOperation | undefined, Pod] {
  if (isSameWish(existing, listed)) {
    if (isSameJson(existing.status, listed.status)) return [undefined, existing];
    // Uses the latest copy of an equal spec, so that only one copy is kept.
    return ['RECONCILE', { ...existing, spec: listed.spec, status: listed.status }];
  }
  const { labels, deletionTimestamp, deletionGracePeriodSeconds, generation } = listed.metadata ?? {};
  const merged: Pod = {
    ...existing,
    metadata: {
      ...existing.metadata,
      labels,
      deletionTimestamp,
      deletionGracePeriodSeconds,
      generation,
      annotations: { ...listed.metadata?.annotations, ...pick(existing.metadata?.annotations, isLocalAnnotation) },
    },
    spec: listed.spec,
    status: listed.status,
  };
  return [deletionTimestamp ? 'DELETE' : 'UPDATE', merged];
}

/** Whether both have equal specs, labels, deletion and annotations, ignoring the agent's annotations. Absent and empty differ. */
function isSameWish(a: Pod, b: Pod): boolean {
  return (
    isSameJson(a.spec, b.spec) &&
    isSameJson(a.metadata?.labels, b.metadata?.labels) &&
    isSameJson(a.metadata?.deletionTimestamp, b.metadata?.deletionTimestamp) &&
    isSameJson(a.metadata?.deletionGracePeriodSeconds, b.metadata?.deletionGracePeriodSeconds) &&
    isSameJson(pick(a.metadata?.annotations, isForeignAnnotation), pick(b.metadata?.annotations, isForeignAnnotation))
  );
}

const localAnnotations: readonly string[] = [configSourceAnnotation, configMirrorAnnotation, configSeenAnnotation];
const isLocalAnnotation = (key: string) => localAnnotations.includes(key);
const isForeignAnnotation = (key: string) => !isLocalAnnotation(key);

function pick(annotations: Readonly<Record<string, string>> | undefined, wanted: (key: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => wanted(key)));
}

function withAnnotations(pod: Pod, annotations: Record<string, string>): Pod {
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata?.annotations, ...annotations } } };
}

/** RFC 3339 with as many fractional digits as necessary. */
function formatNanoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0*Z$/, 'Z');
}
