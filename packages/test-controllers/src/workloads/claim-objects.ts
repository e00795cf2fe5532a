import type { LabelSelector, ObjectMeta, OwnerReference } from '@nodeagent/api';
import { matchesLabelSelector } from '@nodeagent/api/helpers';
import { isTracked, trackingFinalizer, untracked } from './jobs/tracking.js';
import type { CronJob, Workload } from './objects.js';
import { controllerOf, controllerReference } from './ownership.js';

interface Claimable {
  metadata?: ObjectMeta;
}

/** Objects with a selector. */
export type Claimant = Exclude<Workload, CronJob>;

/** What an object writes to control exactly the objects that its selector matches: those objects with other owner references. */
export interface Claims<T> {
  adopted: T[];
  released: T[];
}

/**
 * Adopts matching objects without a controller, and releases controlled ones that no longer match. An owner that is being deleted claims
 * nothing. `canAdopt` excludes further orphans. Kubernetes documentation, "ReplicaSet: Non-Template Pod acquisitions".
 */
export function claimObjects<T extends Claimable>(
  owner: Claimant,
  objects: readonly T[],
  canAdopt: (object: T) => boolean = () => true,
): Claims<T> {
  const { uid, deletionTimestamp } = owner.metadata;
  if (deletionTimestamp) return { adopted: [], released: [] };
  const selector = selectorOf(owner);
  const matches = ({ metadata }: T) => selector !== undefined && matchesLabelSelector(selector, metadata?.labels);
  const adopted = objects.filter(
    (object) => controllerOf(object) === undefined && !object.metadata?.deletionTimestamp && matches(object) && canAdopt(object),
  );
  const released = objects.filter((object) => controllerOf(object)?.uid === uid && !matches(object));
  return {
    adopted: adopted.map((object) =>
      tracked(
        owner,
        withOwners(object, (owners) => [...owners, controllerReference(owner)]),
      ),
    ),
    released: released.map((object) => untracked(withOwners(object, (owners) => owners.filter((each) => each.uid !== uid)))),
  };
}

/** The selector of a ReplicationController is a map of labels. */
function selectorOf({ kind, spec }: Claimant): LabelSelector | undefined {
  const { selector } = spec;
  return kind === 'ReplicationController' ? selector && { matchLabels: selector as Record<string, string> } : selector;
}

function withOwners<T extends Claimable>(object: T, change: (owners: readonly OwnerReference[]) => OwnerReference[]): T {
  const { ownerReferences = [], ...metadata } = object.metadata ?? {};
  const changed = change(ownerReferences);
  return { ...object, metadata: { ...metadata, ...(changed.length > 0 && { ownerReferences: changed }) } };
}

/** A job counts the pods that it adopts. */
const tracked = <T extends Claimable>({ kind }: Claimant, object: T): T =>
  kind === 'Job' && !isTracked(object)
    ? { ...object, metadata: { ...object.metadata, finalizers: [...(object.metadata?.finalizers ?? []), trackingFinalizer] } }
    : object;
