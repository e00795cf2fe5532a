import type { EventType, Node, NodeStatus, NodeSystemInfo } from '@nodeagent/api';
import { formatResourceList, formatTime } from '@nodeagent/api/helpers';
import type { MachineInfo } from '../machine/machine-info.js';
import { machineCapacity, nodeCapacity } from './capacity.js';
import { setNodeConditions } from './conditions.js';
import { nodeImages } from './images.js';
import type { NodeStatusFacts } from './node-facts.js';
import { nodeReservation } from './reservation.js';

/** An event about the node to emit. */
export interface NodeEvent {
  type: EventType;
  reason: string;
  message: string;
}

type StatusSetter = (status: NodeStatus, facts: NodeStatusFacts) => NodeStatus;

/** The Node with the status that follows from the facts, and the events of the changes. `now` is wall-clock milliseconds. */
export function setNodeStatus(node: Node, facts: NodeStatusFacts, now: number): { node: Node; events: NodeEvent[] } {
  const before = node.status ?? {};
  const events: NodeEvent[] = [];
  const lastBoot = before.nodeInfo?.bootID;
  if (facts.machine && lastBoot && lastBoot !== facts.machine.bootId) {
    const message = `Node ${facts.nodeName} has been rebooted, boot id: ${facts.machine.bootId}`;
    events.push({ type: 'Warning', reason: 'Rebooted', message });
  }
  const described = setters.reduce((status, set) => set(status, facts), before);
  const changes = setNodeConditions(described.conditions ?? [], { ...facts, capacity: described.capacity }, formatTime(now));
  events.push(...changes.events.map((reason) => statusEvent(facts.nodeName, reason)));
  const { volumesInUse, declaredFeatures } = facts;
  const status: NodeStatus = {
    ...described,
    conditions: changes.conditions,
    ...(volumesInUse && { volumesInUse: [...volumesInUse] }),
    ...(declaredFeatures && { declaredFeatures: [...declaredFeatures] }),
  };
  return { node: { ...node, status }, events };
}

/** The event of a flipped condition, or of a node that becomes schedulable. */
export function statusEvent(nodeName: string, reason: string): NodeEvent {
  return { type: 'Normal', reason, message: `Node ${nodeName} status is now: ${reason}` };
}

/** Setters of everything but the conditions, which depend on them. */
const setters: readonly StatusSetter[] = [setAddresses, setCapacity, setNodeInfo, setDaemonEndpoints, setImages, setRuntime];

function setAddresses(status: NodeStatus, { addresses }: NodeStatusFacts): NodeStatus {
  return addresses === undefined ? status : { ...status, addresses: [...addresses] };
}

function setCapacity(status: NodeStatus, facts: NodeStatusFacts): NodeStatus {
  const capacity = formatResourceList(machineCapacity(facts));
  return {
    ...status,
    ...nodeCapacity({ ...facts, machine: facts.machine, existing: status, reservation: nodeReservation({ ...facts, capacity }) }),
  };
}

function setNodeInfo(status: NodeStatus, facts: NodeStatusFacts): NodeStatus {
  const { machine, runtimeVersion, kubeletVersion, operatingSystem, architecture } = facts;
  const before = status.nodeInfo;
  const nodeInfo: NodeSystemInfo = {
    machineID: machine?.machineId ?? before?.machineID ?? '',
    systemUUID: machine?.systemUuid ?? before?.systemUUID ?? '',
    bootID: machine?.bootId ?? before?.bootID ?? '',
    kernelVersion: machine?.kernelVersion ?? before?.kernelVersion ?? '',
    osImage: machine?.osImage ?? before?.osImage ?? '',
    containerRuntimeVersion: `${runtimeVersion.type}://${runtimeVersion.version ?? 'Unknown'}`,
    kubeletVersion,
    kubeProxyVersion: '',
    operatingSystem,
    architecture,
  };
  const swap = nodeSwap(machine) ?? before?.swap;
  return { ...status, nodeInfo: { ...nodeInfo, ...(swap && { swap }) } };
}

/** The swap of `status.nodeInfo`: absent for a machine without swap. */
export function nodeSwap(machine: Pick<MachineInfo, 'swapBytes'> | undefined): NodeSystemInfo['swap'] {
  return machine && machine.swapBytes > 0n ? { capacity: Number(machine.swapBytes) } : undefined;
}

function setDaemonEndpoints(status: NodeStatus, { kubeletPort }: NodeStatusFacts): NodeStatus {
  return { ...status, daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } } };
}

function setImages(status: NodeStatus, { images, nodeStatusMaxImages }: NodeStatusFacts): NodeStatus {
  return { ...status, images: nodeImages(images, nodeStatusMaxImages) };
}

function setRuntime(status: NodeStatus, { runtimeHandlers, features }: NodeStatusFacts): NodeStatus {
  const byName = runtimeHandlers?.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
  return { ...status, ...(byName && { runtimeHandlers: byName }), ...(features && { features }) };
}
