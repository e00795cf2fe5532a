import type { Node } from '@nodeagent/api';
import type { ClusterLevel } from './level.js';

/** A node as its caller knows it. */
export interface ListedNode {
  name: string;
  /** The Node of the API server; undefined without one. */
  object: Node | undefined;
  /** Whether its agent runs; true where that is unknown. */
  isUp: boolean;
  /** Whether it is cut off from the API server; false where that is unknown. */
  isPartitioned: boolean;
}

export interface NodeModel {
  name: string;
  level: ClusterLevel;
  /** `Ready`, `NotReady`, `Unknown`, with pressures and what was done to it: `Ready, MemoryPressure`. */
  status: string;
  isUp: boolean;
  isPartitioned: boolean;
}

/** A node in short: its Ready condition, its pressures, and whether it runs, is cut off, or is cordoned. */
export function nodeModel({ name, object, isUp, isPartitioned }: ListedNode): NodeModel {
  const conditions = object?.status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready')?.status;
  const pressures = conditions.filter(({ type, status }) => type.endsWith('Pressure') && status === 'True').map(({ type }) => type);
  const state = object === undefined ? 'deleted' : ready === 'True' ? 'Ready' : ready === 'False' ? 'NotReady' : 'Unknown';
  const done = [
    ...(isUp ? [] : ['agent down']),
    ...(isPartitioned ? ['partitioned'] : []),
    ...(object?.spec?.unschedulable ? ['cordoned'] : []),
  ];
  const isGood = ready === 'True' && isUp && !isPartitioned;
  const level: ClusterLevel = !isGood ? 'bad' : pressures.length > 0 ? 'waiting' : 'good';
  return { name, level, status: [state, ...pressures, ...done].join(', '), isUp, isPartitioned };
}
