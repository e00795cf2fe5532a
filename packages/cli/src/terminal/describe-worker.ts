import type { PodStatus, PodUpdateCause, SyncReason } from '@nodeagent/api';
import { allContainerStatuses, describeStep, formatDuration, podUid } from '@nodeagent/api/helpers';
import type { PodWorkerLastSync } from '@nodeagent/core/node';
import type { PodAnswer } from '../local-api/answers.js';
import { type Field, field } from './fields.js';
import { pullsOfPod } from './pull-progress.js';
import { formatScheduledTime, formatTimestamp } from './timestamp.js';

/** What the pod's worker did last and why, what it does now, and its next step. */
export function workerField({ worker, status, pod, pulls, runtimeErrors, now }: PodAnswer): Field {
  const blockers = runtimeErrors.map((error) => ({ key: 'Blocked By', value: `the container runtime: ${error}` }));
  if (worker === undefined) return { key: 'Worker', fields: [{ key: 'State', value: 'no worker yet' }, ...blockers] };
  const { state, summary, lastSync, lastChange, waitingFor, finished, terminationCause, gracePeriod, nextRetryAt, backOffs } = worker;
  const isChange = lastChange !== undefined && lastChange.startedAt === lastSync?.startedAt;
  return {
    key: 'Worker',
    fields: [
      { key: 'State', value: stateText[state] },
      ...field('Termination Cause', terminationCause && terminationText[terminationCause]),
      ...field('Grace Period', gracePeriod === undefined ? undefined : `${gracePeriod}s`),
      ...blockers,
      ...field('Now', waitingFor !== undefined || finished ? summary : undefined),
      ...pullsOfPod(podUid(pod), pulls, now).map((value) => ({ key: 'Image Pull', value })),
      ...(lastSync === undefined ? [{ key: 'Last Sync', value: 'none yet' }] : [syncField('Last Sync', lastSync, status, now)]),
      ...(lastChange === undefined || isChange ? [] : [syncField('Last Change', lastChange, status, now)]),
      ...backOffs.map(({ container, reason, until }) => ({
        key: 'Back-Off',
        value: `${container}: ${reason} until ${formatScheduledTime(until, now)}; the first sync after that retries`,
      })),
      ...field(
        lastSync?.error === undefined ? 'Next Sync' : 'Next Retry',
        nextRetryAt === undefined ? undefined : formatScheduledTime(nextRetryAt, now),
      ),
    ],
  };
}

const stateText: Record<NonNullable<PodAnswer['worker']>['state'], string> = {
  SyncPod: 'SyncPod: runs the pod',
  TerminatingPod: 'TerminatingPod: stops the containers',
  TerminatedPod: 'TerminatedPod: all containers have terminated',
};

const terminationText: Record<NonNullable<NonNullable<PodAnswer['worker']>['terminationCause']>, string> = {
  deleted: 'the pod was deleted',
  evicted: 'the pod was evicted',
  containersEnded: 'all containers terminated, and the restart policy restarts none',
  killed: 'the pod was removed from its source',
};

function syncField(key: string, sync: PodWorkerLastSync, status: PodStatus, now: number): Field {
  const { startedAt, endedAt, updateType, cause, reasons = [], error, hint } = sync;
  const result =
    endedAt === undefined ? 'running' : `${error === undefined ? 'succeeded' : 'failed'} after ${formatDuration(endedAt - startedAt)}`;
  return {
    key,
    value: `${formatTimestamp(startedAt, now)}, ${result}`,
    fields: [
      { key: 'Event', value: cause === undefined ? `update "${updateType}"` : causeText(cause, status) },
      ...(reasons.length === 0 ? [] : [{ key: 'Decision', fields: reasons.map(reasonField) }]),
      ...field('Error', error),
      ...field('Hint', hint),
    ],
  };
}

function reasonField(step: SyncReason): Field {
  return { key: describeStep(step), value: step.reason };
}

/** The cause as text: `ContainerDied: container main`. */
function causeText({ event, source, containerId }: PodUpdateCause, status: PodStatus): string {
  if (source !== undefined) return `${event} from source "${source}"`;
  if (containerId !== undefined) return `${event}: ${containerName(containerId, status)}`;
  return event === 'Due' ? 'Due: periodic resync' : event;
}

function containerName(containerId: string, status: PodStatus): string {
  const isIt = (id: string | undefined) => id?.endsWith(`//${containerId}`) === true;
  const found = allContainerStatuses(status).find(
    ({ containerID, state, lastState }) =>
      isIt(containerID) || isIt(state?.terminated?.containerID) || isIt(lastState?.terminated?.containerID),
  );
  return found === undefined ? `sandbox or old container ${containerId.slice(0, 12)}` : `container ${found.name}`;
}
