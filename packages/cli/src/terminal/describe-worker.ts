import {
  allContainerStatuses,
  describeStep,
  formatDuration,
  type PodStatus,
  type PodUpdateCause,
  podUid,
  type SyncReason,
} from '@nodeagent/api';
import type { PodWorkerLastSync } from '@nodeagent/core';
import type { PodAnswer } from '../local-api/answers.js';
import { type Field, field } from './fields.js';
import { moment, momentToCome } from './moment.js';
import { pullsOfPod } from './pull-progress.js';

/** What the pod's worker did last and why, what it does now, and what comes next and when. */
export function workerField({ worker, status, pod, pulls, runtimeErrors, now }: PodAnswer): Field {
  const hindered = runtimeErrors.map((error) => ({ key: 'Held Up By', value: `the container runtime: ${error}` }));
  if (worker === undefined) return { key: 'Worker', fields: [{ key: 'State', value: 'none has taken the pod yet' }, ...hindered] };
  const { state, summary, lastSync, lastChange, waitingFor, finished, terminationCause, gracePeriod, nextRetryAt, backOffs } = worker;
  const isChange = lastChange !== undefined && lastChange.startedAt === lastSync?.startedAt;
  return {
    key: 'Worker',
    fields: [
      { key: 'State', value: stateText[state] },
      ...field('Ends Because', terminationCause && endText[terminationCause]),
      ...field('Grace Period', gracePeriod === undefined ? undefined : `${gracePeriod}s`),
      ...hindered,
      ...field('Now', waitingFor !== undefined || finished ? summary : undefined),
      ...pullsOfPod(podUid(pod), pulls, now).map((value) => ({ key: 'Image Pull', value })),
      ...(lastSync === undefined ? [{ key: 'Last Sync', value: 'none yet' }] : [syncField('Last Sync', lastSync, status, now)]),
      ...(lastChange === undefined || isChange ? [] : [syncField('Last Change', lastChange, status, now)]),
      ...backOffs.map(({ container, reason, until }) => ({
        key: 'Back-Off',
        value: `${container}: ${reason} until ${momentToCome(until, now)}; the first sync from then on tries again`,
      })),
      ...field(
        lastSync?.error === undefined ? 'Next Sync' : 'Next Retry',
        nextRetryAt === undefined ? undefined : momentToCome(nextRetryAt, now),
      ),
    ],
  };
}

const stateText: Record<NonNullable<PodAnswer['worker']>['state'], string> = {
  SyncPod: 'SyncPod: keeps the pod as its manifest wants it',
  TerminatingPod: 'TerminatingPod: stops the containers',
  TerminatedPod: 'TerminatedPod: the containers have ended',
};

const endText: Record<NonNullable<NonNullable<PodAnswer['worker']>['terminationCause']>, string> = {
  deleted: 'the pod was deleted',
  evicted: 'the pod was evicted',
  containersEnded: 'its containers ended and none is to be restarted',
  killed: 'the pod is no longer wanted',
};

function syncField(key: string, sync: PodWorkerLastSync, status: PodStatus, now: number): Field {
  const { startedAt, endedAt, updateType, cause, reasons = [], error, hint } = sync;
  const result =
    endedAt === undefined
      ? 'not ended yet'
      : `${error === undefined ? 'succeeded' : 'failed'} after ${formatDuration(endedAt - startedAt)}`;
  return {
    key,
    value: `${moment(startedAt, now)}, ${result}`,
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

/** An event in words: `ContainerDied: container main`. */
function causeText({ event, source, containerId }: PodUpdateCause, status: PodStatus): string {
  if (source !== undefined) return `${event} from source "${source}"`;
  if (containerId !== undefined) return `${event}: ${containerName(containerId, status)}`;
  return event === 'Due' ? 'Due: its time had come' : event;
}

function containerName(containerId: string, status: PodStatus): string {
  const isIt = (id: string | undefined) => id?.endsWith(`//${containerId}`) === true;
  const found = allContainerStatuses(status).find(
    ({ containerID, state, lastState }) =>
      isIt(containerID) || isIt(state?.terminated?.containerID) || isIt(lastState?.terminated?.containerID),
  );
  return found === undefined ? `sandbox or former container ${containerId.slice(0, 12)}` : `container ${found.name}`;
}
