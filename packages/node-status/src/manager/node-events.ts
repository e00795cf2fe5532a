import type { EventRecorder } from '@nodeagent/api';
import { type NodeEvent, statusEvent } from '../status/set-node-status.js';

/** Emits the node's events. */
export interface NodeEvents {
  /** Emits every event, except that a reboot is emitted once. */
  emit(events: readonly NodeEvent[]): void;
  /** Emits an event when the node is cordoned or uncordoned. */
  emitSchedulable(unschedulable: boolean): void;
}

export function createNodeEvents(recorder: EventRecorder, nodeName: string): NodeEvents {
  /** The kubelet's event reference of its node: the name as UID, because the UID is unknown at first. */
  const reference = { kind: 'Node', name: nodeName, uid: nodeName };
  let hasEmittedReboot = false;
  let wasUnschedulable = false;

  const emit = (events: readonly NodeEvent[]) => {
    for (const { type, reason, message } of events) {
      if (reason === 'Rebooted' && hasEmittedReboot) continue;
      hasEmittedReboot ||= reason === 'Rebooted';
      recorder.event(reference, type, reason, message);
    }
  };

  return {
    emit,
    emitSchedulable(unschedulable) {
      if (unschedulable === wasUnschedulable) return;
      wasUnschedulable = unschedulable;
      emit([statusEvent(nodeName, unschedulable ? 'NodeNotSchedulable' : 'NodeSchedulable')]);
    },
  };
}
