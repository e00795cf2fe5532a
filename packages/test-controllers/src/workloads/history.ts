import type { Pod } from '@nodeagent/api';
import { equalJson, isObject } from '@nodeagent/api/helpers';
import type { ControllerRevision, DaemonSet, PodTemplate, StatefulSet, Write } from './objects.js';
import { controlledBy, controllerReference } from './ownership.js';
import { templateHash, withoutHash } from './template-hash.js';

/** The label of pods with their revision: the name of it for a StatefulSet, the hash for a DaemonSet. */
export const revisionLabel = 'controller-revision-hash';

export const revisionOf = ({ metadata }: Pod): string | undefined => metadata?.labels?.[revisionLabel];

/** The revisions of a workload. */
export interface History {
  /** The revision of the current template, possibly not written yet. */
  update: ControllerRevision;
  collisionCount: number;
  /** Creates the revision, or makes an earlier one with the same template the newest. */
  writes: Write[];
}

/**
 * The revision of the template of a StatefulSet or DaemonSet. An earlier template gets its revision back, with a higher number.
 * `all` are the revisions of the namespace; `hashLabels` are the labels of a new one.
 */
export function planHistory(
  owner: StatefulSet | DaemonSet,
  all: readonly ControllerRevision[],
  hashLabels: (hash: string) => Record<string, string>,
): History {
  const { template } = owner.spec;
  const own = controlledBy(all, owner).sort((a, b) => a.revision - b.revision);
  const same = own.filter((each) => equalJson(withoutHash(each.data.spec.template), withoutHash(template))).at(-1);
  const newest = own.at(-1);
  const collisionCount = owner.status?.collisionCount ?? 0;
  const number = (newest?.revision ?? 0) + 1;
  if (same && same === newest) return { update: same, collisionCount, writes: [] };
  if (same) {
    const update = { ...same, revision: number };
    return { update, collisionCount, writes: [{ verb: 'update', object: update }] };
  }
  return newRevision(owner, { all, hashLabels, collisionCount, number });
}

function newRevision(
  owner: StatefulSet | DaemonSet,
  plan: {
    all: readonly ControllerRevision[];
    hashLabels: (hash: string) => Record<string, string>;
    collisionCount: number;
    number: number;
  },
): History {
  const { metadata, spec } = owner;
  const names = new Set(plan.all.map((each) => each.metadata.name));
  let { collisionCount } = plan;
  const hashOf = () => templateHash(spec.template, collisionCount);
  while (names.has(`${metadata.name}-${hashOf()}`)) collisionCount++;
  const update: ControllerRevision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${metadata.name}-${hashOf()}`,
      ...(metadata.namespace && { namespace: metadata.namespace }),
      labels: { ...spec.template.metadata?.labels, ...plan.hashLabels(hashOf()) },
      ...(metadata.annotations && { annotations: metadata.annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    data: sorted({ spec: { template: { ...spec.template, $patch: 'replace' } } }),
    revision: plan.number,
  };
  return { update, collisionCount, writes: [{ verb: 'create', object: update }] };
}

/** The value with the fields of all its objects in order: clients compare the texts of revisions. */
function sorted<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sorted) as T;
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, field]) => [key, sorted(field)])) as T;
}

/** The template of a revision. */
export function templateOf({ data }: ControllerRevision): PodTemplate {
  const { $patch: _, ...template } = data.spec.template;
  return template;
}

/** Deletes the oldest revisions without pods beyond the limit; `live` are the names of those to keep. */
export function historyWrites(own: readonly ControllerRevision[], live: ReadonlySet<string | undefined>, limit = 10): Write[] {
  const unused = own.filter((each) => !live.has(each.metadata.name)).sort((a, b) => a.revision - b.revision);
  return unused.slice(0, Math.max(0, unused.length - limit)).map((object) => ({ verb: 'delete', object }));
}
