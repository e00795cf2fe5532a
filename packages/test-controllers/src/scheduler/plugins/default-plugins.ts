import type { SchedulerPlugin } from '../framework/plugin.js';
import { nodeAffinity, nodeName, nodePorts, nodeUnschedulable, taintToleration } from './node-rules.js';
import { balancedAllocation, resourcesFit } from './resource-rules.js';

/** The rules of kube-scheduler's default profile, in its order: the first that rejects a node gives the reason. */
export const defaultPlugins: readonly SchedulerPlugin[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  resourcesFit,
  balancedAllocation,
];
