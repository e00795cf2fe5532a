import type { Clock } from '@nodeagent/api';
import type { Controller } from '../controller.js';
import type { ControllerObjects } from '../controller-objects.js';
import type { EventWriter } from '../event-writer.js';
import { NodeLifecycle } from './node-lifecycle.js';
import { PodGc } from './pod-gc.js';
import { PodsByNode } from './pods-by-node.js';
import { storedCluster } from './stored-cluster.js';
import { TaintEviction } from './taint-eviction.js';

/** Settings of the controllers of nodes. */
export interface NodeLifecycleSettings {
  /** How long a node may be without a heartbeat before it is Unknown, in milliseconds. Default 50 s. */
  nodeMonitorGracePeriodMs?: number;
}

/** The controllers of nodes and of their pods. */
export function nodeControllers(
  { objects, clock, events }: { objects: ControllerObjects; clock: Clock; events: EventWriter },
  settings: boolean | NodeLifecycleSettings,
): Controller[] {
  const { nodeMonitorGracePeriodMs: graceMs } = typeof settings === 'object' ? settings : {};
  const pods = new PodsByNode();
  const ports = { clock, store: storedCluster(objects, events), pods };
  return [pods, new NodeLifecycle({ ...ports, graceMs }), new TaintEviction(ports), new PodGc(ports)];
}
