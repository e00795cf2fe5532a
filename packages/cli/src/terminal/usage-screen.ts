import { Quantity } from '@nodeagent/api/helpers';
import type { EvictionExplanation } from '@nodeagent/eviction';
import type { Usage, UsageAnswer } from '../local-api/answers.js';
import { alignColumns, progressBar } from './columns.js';
import { screenTitle } from './pods-screen.js';
import { printable } from './printable.js';
import { shorten } from './table.js';

type ThresholdLine = EvictionExplanation['thresholds'][number];

/** Resource usage of the node and its pods, sorted by memory, and the eviction thresholds. */
export function usageScreen(answer: UsageAnswer, width: number): string[] {
  const { eviction } = answer;
  const pods = [...answer.podUsage].sort((a, b) => (b.memoryBytes ?? 0) - (a.memoryBytes ?? 0));
  const rows = [
    ['POD', 'CPU', 'MEMORY', 'DISK'],
    ...pods.map((pod) => [printable(`${pod.namespace}/${pod.name}`), ...usageCells(pod)]),
    ['the node', ...usageCells(answer.nodeUsage)],
  ];
  const thresholds = eviction === undefined ? ['no pod is evicted for lack of resources'] : pressureLines(eviction);
  return [printable(screenTitle(answer)), '', ...thresholds, '', ...alignColumns(rows)].map((line) => shorten(line, width));
}

/** The ranking of pods for eviction, with reasons. */
export function evictionLines({ eviction }: UsageAnswer, width: number): string[] {
  if (eviction === undefined) return ['no pod is evicted for lack of resources: eviction is switched off'];
  const { signal, candidates, thresholds } = eviction;
  const isMet = thresholds.some((threshold) => threshold.signal === signal && threshold.since !== undefined);
  const head = `${signal}: threshold ${isMet ? '' : 'not '}met; ${isMet ? 'next to be evicted' : 'if it is met, pods are evicted in this order'}:`;
  const evictable = candidates.filter((each) => each.evictable);
  const rows = evictable.map(({ namespace, name, reason }, index) => [
    `${index + 1}`,
    printable(`${namespace}/${name}`),
    printable(reason),
  ]);
  const critical = candidates.length - evictable.length;
  return [
    ...(rows.length === 0 ? [`${signal}: threshold ${isMet ? '' : 'not '}met; no pod can be evicted`] : [head, ...alignColumns(rows)]),
    ...(critical > 0 ? [`critical pods, never evicted: ${critical}`] : []),
  ].map((line) => shorten(line, width));
}

/** The conditions, and how near each threshold is. */
export function pressureLines({ thresholds, conditions, lastError }: EvictionExplanation): string[] {
  const rows = thresholds.flatMap((each) => (each.available === undefined ? [] : [thresholdRow(each)]));
  return [
    `pressure: ${conditions.map(({ type }) => type).join(', ') || 'none'}`,
    ...alignColumns(rows),
    ...(lastError === undefined ? [] : [`eviction has no current stats: ${printable(lastError)}`]),
  ];
}

/** The bar shows usage; a full bar is at the threshold. */
function thresholdRow({ signal, unit, available = '0', capacity = '0', level = '0', since }: ThresholdLine): string[] {
  const [free, all, minimum] = [available, capacity, level].map((text) => Number(Quantity.parse(text).value())) as [number, number, number];
  const bar = progressBar((all - free) / (all - minimum || 1));
  const format = unit === 'bytes' ? bytes : String;
  return [signal, bar, `${format(free)} free, evicts below ${format(minimum)}`, since === undefined ? '' : 'met'];
}

/** CPU, memory and disk; `-` if unknown. */
export const usageCells = ({ nanoCores, memoryBytes, diskBytes }: Usage) => [
  nanoCores === undefined ? '-' : `${Math.round(nanoCores / 1e6)}m`,
  memoryBytes === undefined ? '-' : bytes(memoryBytes),
  diskBytes === undefined ? '-' : bytes(diskBytes),
];

/** `1.5Gi`. */
function bytes(count: number): string {
  const units = ['', 'Ki', 'Mi', 'Gi', 'Ti'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, Math.abs(count))) / 10)));
  const scaled = count / 1024 ** power;
  return `${power === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)}${units[power]}`;
}
