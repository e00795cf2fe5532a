import { compareLevels, type Health, type Level } from '@nodeagent/pod-view/health';
import { dynamicResourcesProblem } from './claim-lines.js';
import { deviceProblem } from './device-lines.js';
import type { NodePageAgent, NodePageOptions } from './options.js';
import type { PodLine } from './pod-line.js';
import { type PressureBar, pressureBars } from './pressure.js';

/** The node on the page. Times are milliseconds since 1970. */
export interface NodeLine {
  name: string;
  runtime?: string;
  cluster?: string;
  /** Summary in one sentence. */
  verdict: { level: Level; text: string };
  conditions: NodeConditionLine[];
  pressure: PressureBar[];
  /** The pod that is evicted next, and why; only under pressure. */
  nextEvicted?: { namespace: string; name: string; reason: string };
}

/** A condition of the node; its text is never empty. */
export interface NodeConditionLine extends Omit<Health, 'state'> {
  name: string;
}

/** The state of the node, with a summary of its pods. */
export function nodeLine(
  { nodeName, runtime, cluster }: Pick<NodePageOptions, 'nodeName' | 'runtime' | 'cluster'>,
  agent: Pick<NodePageAgent, 'runtimeErrors' | 'clusterError' | 'eviction' | 'devicePlugins' | 'dynamicResources'>,
  pods: readonly Pick<PodLine, 'name' | 'health'>[],
): NodeLine {
  const eviction = agent.eviction?.explain();
  const runtimeErrors = agent.runtimeErrors();
  const clusterError = agent.clusterError();
  const conditions: NodeConditionLine[] = [
    condition('Container runtime', runtimeErrors.length === 0 ? undefined : runtimeErrors.join('; '), 'ready'),
    ...(cluster === undefined ? [] : [condition('API server', clusterError, 'reachable')]),
    ...(eviction === undefined ? [] : pressureConditions.map((type) => pressureCondition(type, eviction.conditions))),
    ...deviceConditions(agent),
    ...(eviction?.lastError === undefined ? [] : [condition('Eviction', eviction.lastError, '')]),
  ];
  const pressure = eviction ? pressureBars(eviction) : [];
  const isShort = pressure.some(({ level }) => level === 'bad') || (eviction?.conditions.length ?? 0) > 0;
  const next = isShort ? eviction?.candidates.find(({ evictable }) => evictable) : undefined;
  return {
    name: nodeName,
    ...(runtime !== undefined && { runtime }),
    ...(cluster !== undefined && { cluster }),
    verdict: verdictOf(conditions, pods),
    conditions,
    pressure,
    ...(next && { nextEvicted: { namespace: next.namespace, name: next.name, reason: next.reason } }),
  };
}

function condition(name: string, error: string | undefined, good: string): NodeConditionLine {
  return error === undefined ? { name, level: 'ok', text: good } : { name, level: 'bad', text: error };
}

/** None on a node without device plugins and DRA drivers. */
function deviceConditions(agent: Pick<NodePageAgent, 'devicePlugins' | 'dynamicResources'>): NodeConditionLine[] {
  const { resources = [] } = agent.devicePlugins?.() ?? {};
  const dynamicResources = agent.dynamicResources?.();
  const problems = resources.map(deviceProblem).filter((problem) => problem !== undefined);
  return [
    ...(resources.length === 0 ? [] : [condition('Devices', problems.length === 0 ? undefined : problems.join('; '), 'healthy')]),
    ...(dynamicResources === undefined || dynamicResources.drivers.length === 0
      ? []
      : [condition('DRA drivers', dynamicResourcesProblem(dynamicResources), 'connected')]),
  ];
}

const shortOf = { MemoryPressure: 'memory', DiskPressure: 'disk space', PIDPressure: 'process ids' };
const pressureConditions = Object.keys(shortOf) as (keyof typeof shortOf)[];

function pressureCondition(type: keyof typeof shortOf, holding: readonly { type: string; holdsUntil: number }[]): NodeConditionLine {
  const name = type.replace('Pressure', ' pressure');
  const held = holding.find((each) => each.type === type);
  if (held === undefined) return { name, level: 'ok', text: 'none' };
  return { name, level: 'bad', text: `the node is low on ${shortOf[type]}`, until: held.holdsUntil };
}

/** Errors of the node come before those of pods. Unstable pods, such as unready ones, are counted in addition to bad ones. */
export function verdictOf(
  conditions: readonly NodeConditionLine[],
  pods: readonly Pick<PodLine, 'name' | 'health'>[],
): NodeLine['verdict'] {
  const broken = conditions.find(({ level }) => level === 'bad');
  if (broken !== undefined) return { level: 'bad', text: `${broken.name}: ${broken.text}` };
  const worst = pods.map(({ health }) => health.level).sort(compareLevels)[0];
  if (worst === undefined) return { level: 'ok', text: 'The node is healthy and has no pods' };
  if (worst === 'ok' || worst === 'done')
    return { level: 'ok', text: pods.length === 1 ? 'The pod is healthy' : `All ${pods.length} pods are healthy` };
  const namesOf = (level: Level) => pods.filter(({ health }) => health.level === level).map(({ name }) => name);
  const those = namesOf(worst);
  const text = `${countText(worst, those)}: ${those.slice(0, maxNames).join(', ')}${those.length > maxNames ? ', …' : ''}`;
  const unsteady = worst === 'bad' ? namesOf('warn') : [];
  return { level: worst, text: unsteady.length === 0 ? text : `${text}; ${countText('warn', unsteady)}` };
}

function countText(level: keyof typeof verbs, { length }: readonly string[]): string {
  const [one, many] = verbs[level];
  return length === 1 ? `1 pod ${one}` : `${length} pods ${many}`;
}

const maxNames = 3;
const verbs = {
  bad: ['needs attention', 'need attention'],
  warn: ['is unstable', 'are unstable'],
  busy: ['is starting', 'are starting'],
  ending: ['is terminating', 'are terminating'],
} as const;
