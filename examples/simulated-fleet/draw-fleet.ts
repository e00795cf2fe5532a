/** State of a node. */
export interface NodeState {
  /** Used share of the pod capacity, 0 to 1; more counts as 1. */
  share: number;
  /** Whether it is under memory pressure. */
  isUnderPressure: boolean;
}

const levels = [...' ▁▂▃▄▅▆▇█'];
const levelOf = (share: number) => levels[Math.ceil(Math.min(1, share) * (levels.length - 1))] ?? ' ';
/** Nodes from one number of the axis to the next. */
const step = 10;

/**
 * An axis with the numbers of nodes, and rows of one character per node: its usage, or `~` for a node under pressure. In front of each row is the
 * number of its first node.
 */
export function drawFleet(nodes: readonly NodeState[], width: number): string[] {
  const cells = nodes.map(({ share, isUnderPressure }) => (isUnderPressure ? '~' : levelOf(share)));
  const labelWidth = 'node '.length + String(nodes.length).length;
  const lines = [`${'node'.padEnd(labelWidth)} ${axis(Math.min(width, nodes.length))}`];
  for (let at = 0; at < cells.length; at += width) {
    lines.push(`${String(at + 1).padStart(labelWidth)} ${cells.slice(at, at + width).join('')}`.trimEnd());
  }
  return lines;
}

/** What the characters mean, if a full node has `capacity` pods. */
export function legend(capacity: number): string {
  const pods = [1, capacity / 2, capacity].map((count) => `${levelOf(count / capacity)} ${count}`);
  return `running pods of a node: blank 0, ${pods.join(', ')} or more; ~ memory pressure`;
}

/** The number of each tenth column, from 1, starting there. */
function axis(width: number): string {
  let line = '';
  for (let column = 0; column < width; column += step) line += String(column + 1).padEnd(step);
  return line.trimEnd();
}
