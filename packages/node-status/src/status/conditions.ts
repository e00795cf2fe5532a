import type { NodeCondition, ResourceList, Time } from '@nodeagent/api';
import { replaceOrAppendCondition } from '@nodeagent/api/helpers';

/** Pressure conditions of a node. */
export type PressureType = 'MemoryPressure' | 'DiskPressure' | 'PIDPressure';

/** The node's conditions after a change, and the reason of the event to record, if any. */
export interface ConditionChange {
  conditions: NodeCondition[];
  event?: string;
}

interface Wording {
  reason: string;
  message: string;
  event: string;
}

const pressureWordings: Readonly<Record<PressureType, { true: Wording; false: Wording }>> = {
  MemoryPressure: {
    true: {
      reason: 'KubeletHasInsufficientMemory',
      message: 'kubelet has insufficient memory available',
      event: 'NodeHasInsufficientMemory',
    },
    false: {
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
      event: 'NodeHasSufficientMemory',
    },
  },
  DiskPressure: {
    true: { reason: 'KubeletHasDiskPressure', message: 'kubelet has disk pressure', event: 'NodeHasDiskPressure' },
    false: { reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure', event: 'NodeHasNoDiskPressure' },
  },
  PIDPressure: {
    true: { reason: 'KubeletHasInsufficientPID', message: 'kubelet has insufficient PID available', event: 'NodeHasInsufficientPID' },
    false: { reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available', event: 'NodeHasSufficientPID' },
  },
};

/**
 * Sets a pressure condition. Its heartbeat is always `now`; the other fields change, and an event is emitted, only when the status flips. A
 * missing condition counts as `Unknown`. Kubernetes documentation, "Node Status: Conditions".
 */
export function setPressureCondition(
  conditions: readonly NodeCondition[],
  type: PressureType,
  pressure: boolean,
  now: Time,
): ConditionChange {
  const present = conditions.find((condition) => condition.type === type);
  const status = pressure ? 'True' : 'False';
  if (present?.status === status) return { conditions: replaceOrAppendCondition(conditions, { ...present, lastHeartbeatTime: now }) };
  const { reason, message, event } = pressureWordings[type][pressure ? 'true' : 'false'];
  return { conditions: replaceOrAppendCondition(conditions, { ...at(now), type, status, reason, message }), event };
}

export interface ReadyInput {
  /** Why the node cannot run pods, in this order; see {@link readinessProblems}. */
  problems: readonly string[];
  /** A problem that does not stop pods; appended to the message. */
  warning?: string;
}

/** Sets the Ready condition. An event is emitted only if a previous condition had another status. */
export function setReadyCondition(conditions: readonly NodeCondition[], { problems, warning }: ReadyInput, now: Time): ConditionChange {
  const present = conditions.find(({ type }) => type === 'Ready');
  const problem = aggregateMessage(problems);
  const status = problem === undefined ? 'True' : 'False';
  const message = `${problem ?? 'kubelet is posting ready status'}${warning ? `. WARNING: ${warning}` : ''}`;
  const flipped = present !== undefined && present.status !== status;
  const condition: NodeCondition = {
    type: 'Ready',
    status,
    reason: problem === undefined ? 'KubeletReady' : 'KubeletNotReady',
    message,
    lastHeartbeatTime: now,
    lastTransitionTime: present !== undefined && !flipped ? (present.lastTransitionTime ?? null) : now,
  };
  return {
    conditions: replaceOrAppendCondition(conditions, condition),
    ...(flipped && { event: status === 'True' ? 'NodeReady' : 'NodeNotReady' }),
  };
}

/** Input of {@link readinessProblems}. */
export interface ReadinessInput {
  runtimeErrors?: readonly string[];
  networkErrors?: readonly string[];
  storageErrors?: readonly string[];
  /** `node is shutting down`. */
  shutdownError?: string;
  capacity: ResourceList | undefined;
  /** Whether ephemeral storage is accounted; a node without a capacity of it is then not ready. */
  localStorageCapacityIsolation: boolean;
}

/** Why the node is not ready, in the order of the message; empty if it is. */
export function readinessProblems(input: ReadinessInput): string[] {
  const { runtimeErrors = [], networkErrors = [], storageErrors = [], shutdownError, capacity = {} } = input;
  const needed = ['cpu', 'memory', 'pods', ...(input.localStorageCapacityIsolation ? ['ephemeral-storage'] : [])];
  const missing = needed.filter((name) => capacity[name] === undefined);
  return [
    ...runtimeErrors,
    ...networkErrors,
    ...storageErrors,
    ...(shutdownError === undefined ? [] : [shutdownError]),
    ...(missing.length === 0 ? [] : [`missing node capacity for resources: ${missing.join(', ')}`]),
  ];
}

/** Input of {@link setNodeConditions}. */
export interface NodeConditionsInput extends ReadinessInput {
  /** The resources of which the node is short. */
  pressure: Readonly<Record<'memory' | 'disk' | 'pid', boolean>>;
  /** A problem that does not stop pods; appended to the message of Ready. */
  warning?: string;
}

/** Sets the node's four conditions; Ready is the last, so that the others are set when it flips. `events` are the reasons to emit. */
export function setNodeConditions(
  before: readonly NodeCondition[],
  { pressure, warning, ...readiness }: NodeConditionsInput,
  now: Time,
): { conditions: NodeCondition[]; events: string[] } {
  const events: string[] = [];
  let conditions = [...before];
  const apply = (change: ConditionChange) => {
    conditions = change.conditions;
    if (change.event !== undefined) events.push(change.event);
  };
  apply(setPressureCondition(conditions, 'MemoryPressure', pressure.memory, now));
  apply(setPressureCondition(conditions, 'DiskPressure', pressure.disk, now));
  apply(setPressureCondition(conditions, 'PIDPressure', pressure.pid, now));
  apply(setReadyCondition(conditions, { problems: readinessProblems(readiness), ...(warning && { warning }) }, now));
  return { conditions, events };
}

/** Aggregates problems as Kubernetes does: `[a, b]`, each once; undefined for none. */
export function aggregateMessage(problems: readonly string[]): string | undefined {
  const different = Array.from(new Set(problems));
  return different.length > 1 ? `[${different.join(', ')}]` : different[0];
}

const at = (now: Time) => ({ lastHeartbeatTime: now, lastTransitionTime: now });
