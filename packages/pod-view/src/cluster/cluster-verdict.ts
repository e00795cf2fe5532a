import type { ClusterLevel } from './level.js';

export interface ClusterVerdict {
  level: ClusterLevel;
  /** `1 of 3 nodes and 2 of 40 pods need attention`. */
  text: string;
}

type Levelled = readonly { level: ClusterLevel }[];

/** A cluster in one sentence. */
export function clusterVerdict(nodes: Levelled, pods: Levelled): ClusterVerdict {
  const bad = [partOf(nodes, 'bad', 'node'), partOf(pods, 'bad', 'pod')].filter(({ count }) => count > 0);
  const total = bad.reduce((sum, { count }) => sum + count, 0);
  if (total > 0) return { level: 'bad', text: `${bad.map(({ text }) => text).join(' and ')} need${total === 1 ? 's' : ''} attention` };
  const waiting = partOf(pods, 'waiting', 'pod');
  if (waiting.count > 0) return { level: 'waiting', text: `${waiting.text} ${waiting.count === 1 ? 'is' : 'are'} not ready yet` };
  return { level: 'good', text: pods.length === 0 ? 'no pods' : 'all nodes and pods are healthy' };
}

function partOf(all: Levelled, level: ClusterLevel, noun: string): { count: number; text: string } {
  const count = all.filter((each) => each.level === level).length;
  return { count, text: `${count} of ${all.length} ${noun}${all.length === 1 ? '' : 's'}` };
}
