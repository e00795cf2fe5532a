import type { Cycle, Rejection } from './cycle.js';

/** Each text once, with its count, sorted as text. */
export function tally(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Array.from(counts, ([text, count]) => `${count} ${text}`)
    .sort()
    .join(', ');
}

/** `0/3 nodes are available: 3 Insufficient cpu.`; the reasons of nodes, or one for all. */
export const fitMessage = (nodes: number, reasons: string): string => `0/${nodes} nodes are available:${reasons && ` ${reasons}.`}`;

/** Why the nodes that the pod may use do not fit, and why the others may not be used. */
export function reasonsOf({ rejection, snapshot, choosers }: Cycle, rejections: Iterable<Rejection>): string {
  if (rejection) return rejection.reasons.join(', ');
  const found = [...rejections];
  const absent = snapshot.nodes.length - found.length;
  const excluded = `node(s) didn't satisfy plugin(s) [${[...choosers].sort().join(' ')}]`;
  return tally([...found.flatMap(({ reasons }) => reasons), ...new Array<string>(absent).fill(excluded)]);
}
