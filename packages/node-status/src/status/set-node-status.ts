import { type EventType, formatResourceList, formatTime, type Node, type NodeStatus, type NodeSystemInfo } from '@nodeagent/api';
import { machineCapacity, nodeCapacity } from './capacity.js';
import { type ConditionChange, readinessProblems, setPressureCondition, setReadyCondition } from './conditions.js';
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
  const { conditions, reasons } = setConditions(described, facts, now);
  events.push(...reasons.map((reason) => statusEvent(facts.nodeName, reason)));
  const { volumesInUse, declaredFeatures } = facts;
  const status: NodeStatus = {
    ...described,
    conditions,
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
  const swap = machine && machine.swapBytes > 0n ? { capacity: Number(machine.swapBytes) } : before?.swap;
  return { ...status, nodeInfo: { ...nodeInfo, ...(swap && { swap }) } };
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

/** Ready comes last, so that the other conditions are set when it flips. */
function setConditions(status: NodeStatus, facts: NodeStatusFacts, now: number) {
  const at = formatTime(now);
  const { pressure, warning } = facts;
  const reasons: string[] = [];
  let conditions = status.conditions ?? [];
  const apply = (change: ConditionChange) => {
    conditions = change.conditions;
    if (change.event !== undefined) reasons.push(change.event);
  };
  apply(setPressureCondition(conditions, 'MemoryPressure', pressure.memory, at));
  apply(setPressureCondition(conditions, 'DiskPressure', pressure.disk, at));
  apply(setPressureCondition(conditions, 'PIDPressure', pressure.pid, at));
  const problems = readinessProblems({ ...facts, capacity: status.capacity });
  apply(setReadyCondition(conditions, { problems, ...(warning && { warning }) }, at));
  return { conditions, reasons };
}
