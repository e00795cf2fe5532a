import type { KubeObject } from '@nodeagent/api';

/** Fields and conditions whose changes follow from others, or that are of no interest to a reader. */
const ignored = new Set([
  ...['observedGeneration', 'hostIP', 'podIP', 'startTime', 'qosClass', 'collisionCount', 'currentNumberScheduled'],
  ...['Initialized', 'ContainersReady', 'PodReadyToStartContainers'],
]);

interface Condition {
  type?: string;
  status?: string;
  reason?: string;
}

interface Spec {
  taints?: { key?: string; effect?: string }[];
}

/** What a timeline shows of an object: a text for each fact, `true` for one that holds or not. */
type Facts = Map<string, string | true>;

/**
 * The facts of an object that changed, as `name=value`: fields of spec and status that are a text, a number or a boolean, and conditions with
 * their reason. Taints are `+key:effect` and `-key:effect`, a requested deletion is `terminating`. `chosen` selects facts by their names.
 */
export function changedFacts(before: KubeObject | undefined, after: KubeObject, chosen = /^/): string[] {
  const [old, now] = [factsOf(before, chosen), factsOf(after, chosen)];
  const changed = [...now].flatMap(([name, value]) => (old.get(name) === value ? [] : value === true ? name : `${name}=${value}`));
  const lost = [...old].flatMap(([name, value]) => (now.has(name) ? [] : lostText(name, value)));
  return [...changed, ...lost];
}

/** Fields without a value are absent: a count of 0, or `false`. */
function lostText(name: string, value: string | true): string {
  if (value === true) return name.replace('+', '-');
  return `${name}=${value === 'true' ? 'false' : /^\d+$/.test(value) ? '0' : ''}`;
}

function factsOf(object: KubeObject | undefined, chosen: RegExp): Facts {
  const { metadata, spec, status } = (object ?? {}) as {
    metadata?: KubeObject['metadata'];
    spec?: Spec;
    status?: { conditions?: Condition[] };
  };
  const facts: Facts = new Map();
  if (metadata?.deletionTimestamp) facts.set('terminating', true);
  for (const [name, value] of [...Object.entries(spec ?? {}), ...Object.entries(status ?? {})]) {
    if (!ignored.has(name) && ['string', 'number', 'boolean'].includes(typeof value)) facts.set(name, String(value));
  }
  for (const { key, effect } of spec?.taints ?? []) facts.set(`+${key}:${effect}`, true);
  for (const { type = '', status: value = '', reason } of status?.conditions ?? []) {
    if (!ignored.has(type)) facts.set(type, reason ? `${value} (${reason})` : value);
  }
  return new Map([...facts].filter(([name]) => chosen.test(name)));
}
