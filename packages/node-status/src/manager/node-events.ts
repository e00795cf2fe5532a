import type { EventRecorder } from '@nodeagent/api';
import { type NodeEvent, statusEvent } from '../status/set-node-status.js';

/** Tells what happens to a node. */
export function createNodeEvents(recorder: EventRecorder, nodeName: string) {
  /** As a kubelet names its node in events: with the name for the UID, which it does not know at first. */
  const reference = { kind: 'Node', name: nodeName, uid: nodeName };
  let rebootTold = false;
  let wasUnschedulable = false;

  const tell = (events: readonly NodeEvent[]) => {
    for (const { type, reason, message } of events) {
      if (reason === 'Rebooted' && rebootTold) continue;
      rebootTold ||= reason === 'Rebooted';
      recorder.event(reference, type, reason, message);
    }
  };

  return {
    /** Each as often as it is given, except for a reboot: that is told once. */
    tell,
    /** Tells when the node is cordoned, and when no longer. */
    tellSchedulable(unschedulable: boolean): void {
      if (unschedulable === wasUnschedulable) return;
      wasUnschedulable = unschedulable;
      tell([statusEvent(nodeName, unschedulable ? 'NodeNotSchedulable' : 'NodeSchedulable')]);
    },
  };
}
