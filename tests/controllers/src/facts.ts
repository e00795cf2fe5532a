import { equalJson, isObject } from '@nodeagent/api/helpers';
import type { AnyObject } from './cluster.js';
import type { Recording } from './record.js';
import { defaultImage } from './scenarios/objects.js';
import { scenarios } from './scenarios.js';

/** What controllers determine in a scenario, as lines of JSON. Equal lines mean equal behaviour. */
export type Facts = readonly string[];

/** Events whose number depends on how often a controller reconciles an object. */
const repeatedReasons = new Set(['FailedCreate', 'FailedScheduling', 'NoPods', 'ProvisioningFailed', 'SawCompletedJob', 'UnmanagedPods']);

/** Scenarios that run alone: only their messages of the scheduler do not depend on the nodes of others. */
const exclusive = new Set(scenarios.filter(({ isExclusive }) => isExclusive).map(({ name }) => name));

/** The conditions of pods that kubelets write, here the simulated one. */
const kubeletConditions = new Set(['Ready', 'ContainersReady', 'Initialized', 'PodReadyToStartContainers']);

/**
 * The facts of a recording: a line for each step, with what has changed since the previous one, then one for the events, the conditions and the
 * times.
 */
export function factsOf(recording: Recording): Facts {
  const { scenario, times } = recording;
  const isAlone = exclusive.has(scenario);
  const texts = (some: readonly string[]) => (isAlone ? some : some.map(withoutNodes));
  let known: Variants = new Map();
  const lines = recording.steps.map(({ step, answers, objects }) => {
    const present = variantsOf(texts(objects));
    const changed = [...present].filter(([name, variants]) => !equalJson(known.get(name), variants));
    const removed = [...known.keys()].filter((name) => !present.has(name));
    const shown = Object.fromEntries(changed.map(([name, variants]) => [name, changes(known.get(name), variants)]));
    known = present;
    return { step, ...(answers && { answers }), ...(changed.length > 0 && { objects: shown }), ...(removed.length > 0 && { removed }) };
  });
  const events = texts(recording.events)
    .map(parseEvent)
    .filter(({ reason }) => isAlone || !/^(Failed)?Schedul/.test(reason));
  const more = [
    { events: grouped([...new Set(events.map(eventText))].sort()) },
    { conditions: texts(recording.conditions).flatMap(conditionText) },
    // CronJobs start at full minutes.
    { times: scenario.startsWith('cron-job') ? {} : grouped(times) },
  ];
  return [...lines, ...more].map((line) => JSON.stringify(line).replaceAll(scenario, '$'));
}

/** A text without what the scheduler reports about the nodes of all scenarios. */
const withoutNodes = (text: string): string => text.replaceAll(/\d+\/\d+ nodes are available: (?:[^"\\]|\\.)*/g, 'no node');

type Fact = Readonly<Record<string, unknown>>;
/** The facts of the objects by kind and name: of several with the same name each, with its number. */
type Variants = ReadonlyMap<string, readonly (readonly [count: number, fact: Fact])[]>;

function changes(before: readonly (readonly [number, Fact])[] | undefined, after: readonly (readonly [number, Fact])[]): unknown {
  const [single] = after;
  if (single === undefined || after.length > 1 || single[0] > 1) return after;
  const old = before?.length === 1 && before[0]?.[0] === 1 ? before[0][1] : undefined;
  if (old === undefined) return single[1];
  return patch(old, single[1]);
}

/** What changed, as a JSON merge patch. */
function patch(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after ?? null;
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = fields.filter((field) => !equalJson(before[field], after[field]));
  return Object.fromEntries(changed.map((field) => [field, patch(before[field], after[field])]));
}

/** `count object` */
function parse(text: string): { count: number; object: AnyObject } {
  const space = text.indexOf(' ');
  return { count: Number(text.slice(0, space)), object: JSON.parse(text.slice(space + 1)) };
}

function variantsOf(objects: readonly string[]): Variants {
  const found = new Map<string, Map<string, number>>();
  for (const text of objects) {
    const { count, object } = parse(text);
    if (isPlain(object)) continue;
    const name = `${object.kind} ${object.metadata.name}`;
    const fact = JSON.stringify(factOf(object));
    const variants = found.get(name) ?? new Map<string, number>();
    found.set(name, variants.set(fact, (variants.get(fact) ?? 0) + count));
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    sorted.map(([name, variants]) => {
      const each = [...variants].sort(([a], [b]) => (a < b ? -1 : 1));
      return [name, each.map(([fact, count]) => [count, JSON.parse(fact) as Fact] as const)] as const;
    }),
  );
}

/** Whether no controller has changed the object. */
const isPlain = ({ kind, spec, status }: AnyObject): boolean =>
  kind === 'Service' ||
  (kind === 'Namespace' && status?.phase === 'Active') ||
  (kind === 'Node' && !spec.taints && !spec.unschedulable && status.conditions?.length === 1 && status.conditions[0].status === 'True');

/** Texts by their first part, up to `: `. */
function grouped(texts: readonly string[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const text of texts) {
    const end = text.indexOf(': ');
    const group = text.slice(text.indexOf(' ') + 1, end);
    groups[group] = [...(groups[group] ?? []), `${text.slice(0, text.indexOf(' '))} ${text.slice(end + 2)}`];
  }
  return groups;
}

/**
 * What controllers set in an object; fields that are always the same are left out, and the annotation of nodes with the time that kubelets cache
 * Secrets, whose controller the packages do not have.
 */
function factOf({ kind, metadata, spec, status, ...rest }: AnyObject): object {
  const { name, namespace: _, labels: allLabels = {}, ownerReferences, generation, generateName, ...meta } = metadata;
  if (kind === 'Node') delete meta.annotations;
  // Each label of a Job's pods has an older form.
  const labels = Object.entries(allLabels).filter(([key]) => !['controller-uid', 'job-name'].includes(key) && kind !== 'Node');
  const { data, revision, endpoints, ports, addressType } = rest;
  const fields = { revision, endpoints, ports, addressType, ...(kind === 'ConfigMap' && { data }) };
  return {
    ...meta,
    ...(labels.length > 0 && { labels: labels.map(([key, value]) => `${key}=${value}`).join() }),
    ...(generateName && generateName !== name.slice(0, -1) && { generateName }),
    ...(kind !== 'Pod' && { generation }),
    owners: ownerReferences?.map(ownerText),
    spec: specFact(kind, spec, allLabels),
    status: kind === 'Pod' ? podStatus(status) : statusFact(kind === 'Node' ? { conditions: status.conditions } : status, generation),
    ...fields,
  };
}

function ownerText({
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
}: NonNullable<AnyObject['metadata']['ownerReferences']>[number]): string {
  const isOther = uid !== `UID of ${kind} ${name}`;
  return `${kind} ${name}${controller ? ' controller' : ''}${blockOwnerDeletion ? ' blocking' : ''}${isOther ? ` ${uid}` : ''}`;
}

const isDefaultToleration = ({ key, tolerationSeconds }: { key?: string; tolerationSeconds?: number }) =>
  tolerationSeconds === 300 && /^node.kubernetes.io.(not-ready|unreachable)$/.test(key ?? '');

const daemonTolerations = [
  ...['not-ready', 'unreachable'].map((name) => `node.kubernetes.io/${name} Exists NoExecute`),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => `node.kubernetes.io/${name} Exists NoSchedule`),
].join();

const tolerationText = ({ key = '', operator = 'Equal', value = '', effect = '', tolerationSeconds = '' }) =>
  [key, operator, value, effect, tolerationSeconds].filter(Boolean).join(' ');

/** The only node of a pod of a DaemonSet. */
// biome-ignore lint/suspicious/noExplicitAny: an affinity of any form
function nodeOf(affinity: any): string | undefined {
  const name = affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms?.[0]?.matchFields?.[0]?.values?.[0];
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [name] }];
  const only = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } } };
  return equalJson(affinity, only) ? `node ${name}` : undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: the specs of all kinds
function specFact(kind: string, spec: any, labels: Record<string, string>): unknown {
  switch (kind) {
    case 'Pod': {
      const { nodeName, hostname, subdomain, affinity, priority, containers, schedulingGates } = spec;
      const tolerations = spec.tolerations
        ?.filter((each: object) => !isDefaultToleration(each))
        .map(tolerationText)
        .join();
      const volumes = spec.volumes?.filter(({ name }: { name: string }) => !name.startsWith('kube-api-access'));
      const env = containers[0].env;
      return {
        ...{ env: env?.map(JSON.stringify), nodeName, hostname, subdomain, schedulingGates },
        ...(containers[0].image !== defaultImage && { image: containers[0].image }),
        ...(affinity && { affinity: nodeOf(affinity) ?? affinity }),
        ...(priority && { priority }),
        ...(tolerations && { tolerations: tolerations.replace(daemonTolerations, 'those of a DaemonSet') }),
        ...(volumes?.length > 0 && { volumes }),
      };
    }
    case 'Node':
      return { taints: spec.taints, unschedulable: spec.unschedulable };
    case 'ReplicaSet':
      return {
        replicas: spec.replicas,
        minReadySeconds: spec.minReadySeconds,
        ...(!equalJson(spec.selector, { matchLabels: labels }) && { selector: spec.selector }),
      };
    case 'Job':
      return { selector: spec.selector?.matchLabels, suspend: spec.suspend };
    case 'PersistentVolume':
      return { claimRef: spec.claimRef };
    case 'PersistentVolumeClaim':
      return { volumeName: spec.volumeName };
    default:
      return undefined;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the status of a pod
function podStatus({ phase, reason, message, conditions = [], nominatedNodeName }: any = {}): object {
  const shown = conditions.filter(isNotable);
  return { phase, reason, message, nominatedNodeName, ...(shown.length > 0 && { conditions: shown.map(conditionFact) }) };
}

/** Not a condition of the kubelet, nor that the pod is bound. */
const isNotable = ({ type, status }: Condition) => !kubeletConditions.has(type) && !(type === 'PodScheduled' && status === 'True');

// biome-ignore lint/suspicious/noExplicitAny: the status of any object
function statusFact(status: any, generation: unknown): unknown {
  if (status === undefined) return undefined;
  const { conditions, observedGeneration, ...rest } = status;
  return {
    ...rest,
    ...(observedGeneration !== generation && { observedGeneration }),
    ...(conditions && { conditions: conditions.map(conditionFact) }),
  };
}

interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

const conditionFact = ({ type, status, reason, message }: Condition) => [`${type}=${status}`, reason, message].filter(Boolean).join(' ');

interface EventFact {
  count: number;
  about: string;
  type: string;
  reason: string;
  message: string;
  reportingComponent: string;
  source: { component?: string };
  action?: string;
}

function parseEvent(text: string): EventFact {
  const { count, object } = parse(text);
  return { ...(object as unknown as EventFact), count };
}

function eventText({ count, about, type, reason, message, reportingComponent, source, action }: EventFact): string {
  const isRepeated = repeatedReasons.has(reason);
  const component =
    reportingComponent === source.component ? reportingComponent : `${reportingComponent || '""'} ${source.component ?? ''}`.trim();
  const by = isRepeated ? source.component : [component, action].filter(Boolean).join(' ');
  const text = isRepeated ? message.replace('(combined from similar events): ', '') : message;
  return `${isRepeated ? 'n' : count} ${about}: ${type === 'Normal' ? '' : `${type} `}${reason} (${by}): ${text}`;
}

function conditionText(text: string): string[] {
  const { count, object } = parse(text);
  const shown = (object.conditions as Condition[]).filter((each) => object.kind !== 'Pod' || isNotable(each));
  const facts = shown.map(conditionFact);
  const changes = facts.filter((fact, i) => fact !== facts[i - 1]);
  return shown.length === 0 ? [] : [`${count} ${object.kind} ${object.name}: ${changes.join('; ')}`];
}
