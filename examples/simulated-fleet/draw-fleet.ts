/** State of a node. */
export interface NodeState {
  /** Used share of the pod capacity, 0 to 1; more counts as 1. */
  share: number;
  /** Whether it is under memory pressure. */
  isUnderPressure: boolean;
}

const levels = ' ▁▂▃▄▅▆▇█';

/** Lines with one character per node: its usage, or `~` for a node under pressure. */
export function drawFleet(nodes: readonly NodeState[], width: number): string[] {
  const cells = nodes.map(({ share, isUnderPressure }) => (isUnderPressure ? '~' : (levels[Math.ceil(Math.min(1, share) * 8)] ?? ' ')));
  const lines: string[] = [];
  for (let at = 0; at < cells.length; at += width) lines.push(cells.slice(at, at + width).join(''));
  return lines;
}
