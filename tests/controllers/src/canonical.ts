import type { AnyObject } from './cluster.js';
import type { Observed } from './observer.js';

/** What replaces the names, UIDs, times and addresses that differ from one run to the next. */
export type Rename = <T>(value: T) => T;

const hashLabels = ['pod-template-hash', 'controller-revision-hash', 'controller.kubernetes.io/hash'];

/**
 * Canonical names for the generated ones: ReplicaSets and ControllerRevisions are numbered by their owner, in the order of creation; pods with a
 * generated name and other such objects are all `NAME-*`.
 */
export function renaming(objects: readonly Observed[], { hasFixedNodes }: { hasFixedNodes?: boolean }): Rename {
  const names = new Map<string, string>();
  const uids = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const { object } of objects) {
    const { metadata, kind } = object;
    const { name, generateName, uid = '', labels = {} } = metadata;
    if (kind === 'Event') continue;
    if (kind === 'ReplicaSet' || kind === 'ControllerRevision') {
      const hash = hashLabels.map((label) => labels[label]).find((value) => value !== undefined);
      if (hash !== undefined && !names.has(hash)) {
        const owner = `${kind} ${name.slice(0, -hash.length)}`;
        const n = (counts.get(owner) ?? 0) + 1;
        counts.set(owner, n);
        names.set(hash, `${kind === 'ReplicaSet' ? 'hash' : 'revision'}${n}`);
      }
    }
    if (generateName && /^[a-z0-9]{5}$/.test(name.slice(generateName.length))) names.set(name, `${generateName}*`);
    if (kind === 'EndpointSlice') names.set(name, name.replace(/-[a-z0-9]{5}$/, '-*'));
    const minute = /^(.*)-(\d{8})$/.exec(name);
    if (kind === 'Job' && minute) names.set(name, `${minute[1]}-MINUTE`);
    uids.set(uid, `UID of ${kind} ${name}`);
    if (kind === 'Pod' && object.status?.podIP) names.set(object.status.podIP, `IP of ${name}`);
  }
  const ordered = [...names].sort(([a], [b]) => b.length - a.length);
  const text = (value: string): string => {
    let result = uids.get(value) ?? value;
    for (let round = 0; round < 2; round++)
      for (const [from, to] of ordered) if (result.includes(from)) result = result.replaceAll(from, to);
    return withoutChance(result);
  };
  const rename = (value: unknown, field = ''): unknown => {
    if (typeof value === 'string') return !hasFixedNodes && (field === 'nodeName' || field === 'hostIP') ? 'NODE' : text(value);
    if (Array.isArray(value)) return value.map((each) => rename(each, field));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== 'resourceVersion')
        .map(([key, each]) => [text(key), rename(each, key)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  };
  return (value) => rename(value) as typeof value;
}

function withoutChance(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, 'TIME')
    .replaceAll(/10\.96\.\d+\.\d+/g, 'CLUSTER IP')
    .replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9-])/g, '-*');
}

/** An object without what no controller writes. */
export function withoutServerFields({ apiVersion: _, ...object }: AnyObject): object {
  const { uid: _uid, resourceVersion, managedFields, creationTimestamp, ...metadata } = object.metadata;
  return { ...object, metadata };
}
