import type { ApiObject } from '../objects.js';

/** Fields of an event in the core group and their names in `events.k8s.io`; other fields have the same names. */
const names: [core: string, newer: string][] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

function renamed(object: ApiObject, pairs: [from: string, to: string][]): ApiObject {
  const to = new Map(pairs);
  return Object.fromEntries(Object.entries(object).map(([field, value]) => [to.get(field) ?? field, value])) as ApiObject;
}

/** Converts an event of the core group, the stored form, to `events.k8s.io`. */
export function eventFromStored(object: ApiObject): ApiObject {
  return renamed(object, names);
}

export function eventToStored(object: ApiObject): ApiObject {
  return renamed(
    object,
    names.map(([core, newer]) => [newer, core]),
  );
}
