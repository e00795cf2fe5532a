import type { Pod } from '@nodeagent/api';
import { formatTime, parseTime } from '@nodeagent/api/helpers';
import { type ApiContext, timestamp } from '../context.js';
import { rulesOf } from '../kinds/rules.js';
import type { ApiObject } from '../objects.js';
import { type ServedResource, subjectOf } from '../registry/resource.js';
import { conflict } from '../status.js';
import { canBeRemoved } from './metadata.js';

/** `DeleteOptions` of a request: Kubernetes API reference. */
export interface DeletionOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: string;
  orphanDependents?: boolean;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: boolean;
}

/** Result of a deletion: the object is removed, or waits for its grace period or finalizers. */
export interface Deletion {
  isRemoved: boolean;
  object: ApiObject;
}

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

/** Deletes an object as a DELETE of the user does: Kubernetes documentation, "Pod Lifecycle", "Finalizers", "Garbage Collection". */
export function deleteObject(
  context: ApiContext,
  definition: ServedResource,
  before: ApiObject,
  options: DeletionOptions = {},
  user?: string,
): Deletion {
  checkPreconditions(definition, before, options);
  const prepared = rulesOf(definition).prepareDelete?.(before, context) ?? before;
  const marked = markedForDeletion(prepared, options, definition, timestamp(context), context.clock.now());
  if (options.dryRun) return { isRemoved: canBeRemoved(marked), object: marked };
  if (canBeRemoved(marked)) {
    // A node receives the update with grace period 0 before the deletion of the pod.
    const needsUpdate = definition.storage === '/pods' && (before as Pod).spec?.nodeName && marked !== before;
    const last = needsUpdate ? context.store.put(definition.storage, marked, user) : before;
    return { isRemoved: true, object: context.store.remove(definition.storage, last, last, user) };
  }
  if (marked === before) return { isRemoved: false, object: before };
  return { isRemoved: false, object: context.store.put(definition.storage, marked, user) };
}

function checkPreconditions(definition: ServedResource, { metadata }: ApiObject, { preconditions = {} }: DeletionOptions): void {
  const { uid, resourceVersion } = preconditions;
  const failed = (what: string, wanted: string, is: string | undefined) =>
    conflict(
      subjectOf(definition, metadata.name),
      `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${is}`,
    );
  if (uid && uid !== metadata.uid) throw failed('UID', uid, metadata.uid);
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    throw failed('ResourceVersion', resourceVersion, metadata.resourceVersion);
  }
}

/** The object with its deletion requested; the same object if that changes nothing. */
function markedForDeletion(before: ApiObject, options: DeletionOptions, definition: ServedResource, now: string, nowMs: number): ApiObject {
  const { metadata } = before;
  const isPod = definition.storage === '/pods';
  const grace = isPod ? podGracePeriod(before as Pod, options.gracePeriodSeconds) : 0;
  const finalizers = finalizersFor(metadata.finalizers ?? [], options);
  const isNamespace = definition.storage === '/namespaces';
  const status = isNamespace ? { status: { ...(before.status as object), phase: 'Terminating' } } : {};
  if (!metadata.deletionTimestamp) {
    return {
      ...before,
      ...status,
      metadata: {
        ...metadata,
        ...(finalizers.length > 0 && { finalizers }),
        deletionTimestamp: grace > 0 ? formatTime(nowMs + grace * 1000) : now,
        ...((isPod || finalizers.length > 0) && { deletionGracePeriodSeconds: grace }),
        ...(metadata.generation !== undefined && { generation: metadata.generation + 1 }),
      },
    };
  }
  const earlier = metadata.deletionGracePeriodSeconds ?? 0;
  if (!isPod || grace >= earlier) return before;
  const asked = (parseTime(metadata.deletionTimestamp) ?? nowMs) - earlier * 1000;
  return {
    ...before,
    metadata: { ...metadata, deletionTimestamp: formatTime(asked + grace * 1000), deletionGracePeriodSeconds: grace },
  };
}

/** Grace period of a pod in seconds; 0 for a pod without a node or with a final phase. */
function podGracePeriod({ metadata, spec, status }: Pod, asked: number | undefined): number {
  if (!spec?.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
  const grace = asked ?? (metadata?.deletionTimestamp ? metadata.deletionGracePeriodSeconds : spec.terminationGracePeriodSeconds) ?? 30;
  return grace < 0 ? 1 : grace;
}

function finalizersFor(finalizers: string[], { propagationPolicy, orphanDependents }: DeletionOptions): string[] {
  const wanted =
    propagationPolicy === 'Orphan' || orphanDependents === true
      ? orphanFinalizer
      : propagationPolicy === 'Foreground'
        ? foregroundFinalizer
        : undefined;
  if (propagationPolicy === undefined && orphanDependents === undefined) return finalizers;
  const others = finalizers.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer);
  return wanted === undefined ? others : [...others, wanted];
}
