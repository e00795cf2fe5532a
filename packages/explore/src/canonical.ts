import type { KubeObject } from '@nodeagent/api';
import type { EndObject } from './run.js';

/** Fields that differ between two runs that end alike. */
const variable =
  /^(uid|resourceVersion|generation|observedGeneration|managedFields|nodeName|hostIPs?|podIPs?|ip|containerID|imageID|[a-zA-Z]*(Time|Timestamp)|startedAt|finishedAt)$/;

const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** The prefix of annotations by which `conflict` changes objects. */
export const touchPrefix = 'explore.nodeagent.dev/';

/** Changes an object before it is compared with that of the undisturbed run; undefined leaves it out. */
export type Normalize = (object: KubeObject) => KubeObject | undefined;

/** The texts of an end without changes by a `normalize`: both the search and an invariant need them of each run, and of the undisturbed one always. */
const known = new WeakMap<readonly EndObject[], string[]>();

/**
 * The objects at the end of a run as sorted texts that are equal for runs that end alike: without identities, versions, addresses and times; a
 * generated name is its prefix.
 */
export function canonicalEnd(end: readonly EndObject[], normalize?: Normalize): string[] {
  if (normalize) return textsOf(end, normalize);
  const texts = known.get(end) ?? textsOf(end, (object) => object);
  known.set(end, texts);
  return [...texts];
}

function textsOf(end: readonly EndObject[], normalize: Normalize): string[] {
  const texts: string[] = [];
  for (const { resource, object } of end) {
    const normal = normalize(object);
    if (normal !== undefined) texts.push(`${resource} ${nameOf(normal)} ${JSON.stringify(scrubbed(normal, generatedName(normal)))}`);
  }
  return texts.sort();
}

function nameOf({ metadata: { namespace, name, generateName } = {} }: KubeObject): string {
  return [namespace, generateName ? `${generateName}*` : name].filter((part) => part !== undefined).join('/');
}

const generatedName = ({ metadata }: KubeObject) => (metadata?.generateName ? metadata.name : undefined);

function scrubbed(value: unknown, generated: string | undefined): unknown {
  if (typeof value === 'string') return value === generated ? '<generated>' : value.replace(time, '<time>');
  if (Array.isArray(value)) return value.map((each) => scrubbed(each, generated));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !variable.test(key) && !key.startsWith(touchPrefix))
    .map(([key, each]) => [key, scrubbed(each, generated)] as const)
    .filter(([key, each]) => key !== 'annotations' || Object.keys(each as object).length > 0);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
