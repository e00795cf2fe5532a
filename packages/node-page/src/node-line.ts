import type { Health, Level } from './level.js';
import type { NodePageAgent, NodePageOptions } from './options.js';
import { compareLevels } from './pod-health.js';
import type { PodLine } from './pod-line.js';
import { type PressureBar, pressureBars } from './pressure.js';

/** The node as the page shows it. Times are milliseconds since 1970. */
export interface NodeLine {
  name: string;
  runtime?: string;
  cluster?: string;
  /** The whole in one sentence. */
  verdict: { level: Level; text: string };
  conditions: NodeCondition[];
  pressure: PressureBar[];
  /** Who would have to go first, and why; only under pressure. */
  nextToGo?: { namespace: string; name: string; reason: string };
}

export interface NodeCondition extends Health {
  name: string;
}

/** What the agent says of its node, with the verdict over its pods. */
export function nodeLine(
  { nodeName, runtime, cluster }: Pick<NodePageOptions, 'nodeName' | 'runtime' | 'cluster'>,
  agent: Pick<NodePageAgent, 'runtimeErrors' | 'clusterError' | 'eviction'>,
  pods: readonly Pick<PodLine, 'health'>[],
): NodeLine {
  const eviction = agent.eviction?.explain();
  const runtimeErrors = agent.runtimeErrors();
  const clusterError = agent.clusterError();
  const conditions: NodeCondition[] = [
    condition('Container runtime', runtimeErrors.length === 0 ? undefined : runtimeErrors.join('; '), 'answers'),
    ...(cluster === undefined ? [] : [condition('API server', clusterError, 'answers')]),
    ...(eviction === undefined ? [] : pressureConditions.map((type) => pressureCondition(type, eviction.conditions))),
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
    ...(next && { nextToGo: { namespace: next.namespace, name: next.name, reason: next.reason } }),
  };
}

function condition(name: string, error: string | undefined, good: string): NodeCondition {
  return error === undefined ? { name, level: 'ok', text: good } : { name, level: 'bad', text: error };
}

const pressureConditions = ['MemoryPressure', 'DiskPressure', 'PIDPressure'];

function pressureCondition(type: string, holding: readonly { type: string; holdsUntil: number }[]): NodeCondition {
  const name = type.replace('Pressure', ' pressure');
  const held = holding.find((each) => each.type === type);
  if (held === undefined) return { name, level: 'ok', text: 'none' };
  return { name, level: 'bad', text: 'under pressure', until: held.holdsUntil };
}

/** What is wrong with the node itself counts before its pods. */
export function verdictOf(conditions: readonly NodeCondition[], pods: readonly Pick<PodLine, 'health'>[]): NodeLine['verdict'] {
  const broken = conditions.find(({ level }) => level === 'bad');
  if (broken !== undefined) return { level: 'bad', text: `${broken.name}: ${broken.text}` };
  const count = (...levels: Level[]) => pods.filter(({ health }) => levels.includes(health.level)).length;
  const worst = pods.map(({ health }) => health.level).sort(compareLevels)[0];
  if (worst === undefined) return { level: 'ok', text: 'The node is well and has no pods' };
  if (worst === 'bad') return { level: 'bad', text: `${some(count('bad'), 'needs', 'need')} attention` };
  if (worst === 'warn') return { level: 'warn', text: `${some(count('warn'), 'is', 'are')} not ready` };
  if (worst === 'busy') return { level: 'busy', text: `${some(count('busy'), 'is', 'are')} starting` };
  if (worst === 'ending') return { level: 'ending', text: `${some(count('ending'), 'is', 'are')} ending` };
  return { level: 'ok', text: pods.length === 1 ? 'The one pod is well' : `All ${pods.length} pods are well` };
}

const some = (pods: number, one: string, many: string) => (pods === 1 ? `1 pod ${one}` : `${pods} pods ${many}`);
