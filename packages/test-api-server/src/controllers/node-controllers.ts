import type { ApiContext } from '../context.js';
import { NodeLifecycle } from '../node-lifecycle/node-lifecycle.js';
import { PodGc } from '../node-lifecycle/pod-gc.js';
import { PodsByNode } from '../node-lifecycle/pods-by-node.js';
import { TaintEviction } from '../node-lifecycle/taint-eviction.js';
import type { NodeLifecycleSettings } from '../options.js';
import { clusterStore } from './cluster-store.js';
import type { Controller } from './controller.js';
import type { EventWriter } from './event-writer.js';

/** The controllers of nodes and of their pods. */
export function nodeControllers(context: ApiContext, events: EventWriter, settings: boolean | NodeLifecycleSettings): Controller[] {
  const { nodeMonitorGracePeriodMs: graceMs } = typeof settings === 'object' ? settings : {};
  const pods = new PodsByNode();
  const ports = { clock: context.clock, store: clusterStore(context, events), pods };
  return [pods, new NodeLifecycle({ ...ports, ...(graceMs !== undefined && { graceMs }) }), new TaintEviction(ports), new PodGc(ports)];
}
