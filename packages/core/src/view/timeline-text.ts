import type {
  PodConfigOperation,
  PodRuntimeStatus,
  PodStatus,
  PodWorkerExplanation,
  ProbeUpdate,
  TimelineEntry,
  TimelineKind,
} from '@nodeagent/api';
import { describeSteps, isPodConditionTrue } from '@nodeagent/api/helpers';

/** Undefined for RECONCILE: a status change by the API server needs no entry. */
export function configText(op: PodConfigOperation, source: string): string | undefined {
  return op === 'RECONCILE' ? undefined : `${configVerb[op]} source "${source}"`;
}

const configVerb = { ADD: 'added by', UPDATE: 'changed by', DELETE: 'deleted by', REMOVE: 'no longer in' };

/** The consequence of a probe result. Until its first result a readiness or startup probe counts as failed. */
export function probeText(type: ProbeUpdate['type'], container: string, result: ProbeUpdate['result']): string {
  const good = result === 'Success';
  if (type === 'Liveness') return `liveness probe: ${container} ${good ? 'is alive' : 'fails and will be restarted'}`;
  return `${type.toLowerCase()} probe: ${container} ${good ? 'is' : 'is not'} ${type === 'Readiness' ? 'ready' : 'started'}`;
}

/** `Running, ready`. */
export function statusText(status: PodStatus): string {
  const { phase = 'Pending', reason } = status;
  const readiness = phase === 'Running' ? `, ${isPodConditionTrue(status, 'Ready') ? 'ready' : 'not ready'}` : '';
  return `${phase}${readiness}${reason ? ` (${reason})` : ''}`;
}

export function runtimeContainerName(status: PodRuntimeStatus | undefined, containerId: string): string | undefined {
  return status?.containerStatuses.find(({ id }) => id === containerId)?.name;
}

/** What the last sync did and why; undefined if it changed nothing. */
export function syncEntry({
  lastSync,
  terminationCause,
}: PodWorkerExplanation): Pick<TimelineEntry, 'text' | 'warning' | 'fields'> | undefined {
  if (lastSync?.endedAt === undefined) return undefined;
  const { work, cause, reasons, error, startedAt, endedAt } = lastSync;
  const fields = { work, tookMs: endedAt - startedAt, ...(cause && { cause: cause.event }) };
  const steps = describeSteps(reasons);
  if (error !== undefined) return { text: `sync failed: ${error}${steps && `; planned: ${steps}`}`, warning: true, fields };
  if (work === 'SyncPod') return steps === '' ? undefined : { text: `sync: ${steps}`, fields };
  const ended = work === 'TerminatingPod' ? 'all containers have stopped' : 'the resources of the terminated pod are released';
  return { text: `sync: ${ended}`, fields: { ...fields, ...(terminationCause && { terminationCause }) } };
}

/** The kind of the entry for an event, by its reason. */
export function eventKind(reason: string): TimelineKind {
  if (evictionReasons.has(reason)) return 'eviction';
  return gcReasons.has(reason) ? 'gc' : 'event';
}

const evictionReasons = new Set(['Evicted', 'EvictionThresholdMet', 'Preempted', 'Preempting', 'ExceededGracePeriod']);
const gcReasons = new Set(['ImageGCFailed', 'FreeDiskSpaceFailed', 'InvalidDiskCapacity', 'ContainerGCFailed']);
