/** What a node is like. */
export interface NodeState {
  /** How full it is, 0 to 1; more counts as 1. */
  share: number;
  /** Whether it is short of memory. */
  pressed: boolean;
}

const levels = ' ▁▂▃▄▅▆▇█';

/** Lines with a character a node: how full it is, or `~` for one under pressure. */
export function drawFleet(nodes: readonly NodeState[], width: number): string[] {
  const cells = nodes.map(({ share, pressed }) => (pressed ? '~' : (levels[Math.ceil(Math.min(1, share) * 8)] ?? ' ')));
  const lines: string[] = [];
  for (let at = 0; at < cells.length; at += width) lines.push(cells.slice(at, at + width).join(''));
  return lines;
}
