import type { SchedulerPlugin } from '../framework/plugin.js';
import { imageLocality } from './image-locality.js';
import { nodeAffinity, nodeName, nodePorts, nodeUnschedulable, taintToleration } from './node-rules.js';
import { interPodAffinity } from './pod-affinity.js';
import { balancedAllocation, resourcesFit } from './resource-rules.js';
import { podTopologySpread } from './topology-spread.js';
import { volumeBinding } from './volume-binding.js';
import { nodeVolumeLimits, volumeRestrictions, volumeZone } from './volume-rules.js';

/** The rules of kube-scheduler's default profile, in its order: the first that rejects a node gives the reason. */
export const defaultPlugins: readonly SchedulerPlugin[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  resourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  podTopologySpread,
  interPodAffinity,
  balancedAllocation,
  imageLocality,
];
