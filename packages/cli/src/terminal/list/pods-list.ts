import type { Pod } from '@nodeagent/api';
import { configSeenAnnotation, parseTime, podUid } from '@nodeagent/api/helpers';
import type { PullInProgress } from '@nodeagent/core/node';
import { explainPod, type PodEvent } from '@nodeagent/pod-view';
import type { ListedPod } from '../../local-api/answers.js';
import { type RejectedManifest, rejectedRow } from '../../local-api/rejected-manifests.js';
import { type PodRow, podRow } from '../pod-row.js';
import { pullsOfPod } from '../pull-progress.js';
import { podColumnsLayout } from '../table.js';
import { countdown } from './countdown.js';
import { type ListKind, type ListRow, sortByHealth, sortByName, sortByNumber } from './list-model.js';

/** The list of pods. The last column has the pull or the back-off in progress, else the last event. */
export const podsKind: ListKind = {
  layout: { ...podColumnsLayout, headings: { ...podColumnsLayout.headings, lastEvent: 'ACTIVITY' } },
  sorts: [sortByHealth, sortByName, sortByNumber('restarts'), sortByNumber('newest')],
};

/** The row of a pod in the list. */
export function podListRow(view: ListedPod, now: number, pulls: readonly PullInProgress[]): ListRow {
  const { pod, status, backOffs = [], lastEvent } = view;
  const current: Pod = { ...pod, status };
  const row = podRow(view, now, pulls);
  const events = lastEvent === undefined ? [] : [podEvent(lastEvent)];
  const pull = pullsOfPod(podUid(pod), pulls, now)[0];
  const activity = pull ?? countdown(current, now, { backOffs, events });
  return {
    ...listRow(activity === undefined ? row : { ...row, lastEvent: activity }),
    numbers: { restarts: Number.parseInt(row.restarts, 10), ...newest(pod) },
    pod: { namespace: pod.metadata?.namespace ?? '', name: pod.metadata?.name ?? '' },
    explain: () => explainPod(current, { now, backOffs, events }).sentence,
  };
}

/** The row of a rejected manifest. */
export function rejectedListRow(manifest: RejectedManifest): ListRow {
  const { code, message, hint } = manifest;
  return { ...listRow(rejectedRow(manifest)), explain: () => `${code}: ${message}${hint === undefined ? '' : ` (${hint})`}` };
}

/** A row as it is, without an explanation. */
export function listRow({ health, ...cells }: PodRow): ListRow {
  return { key: cells.name, cells, health, numbers: {}, explain: () => '' };
}

function newest({ metadata }: Pod): Record<string, number> {
  const at = parseTime(metadata?.creationTimestamp ?? metadata?.annotations?.[configSeenAnnotation]);
  return at === undefined ? {} : { newest: at };
}

const podEvent = ({ at, object, type, reason, message }: NonNullable<ListedPod['lastEvent']>): PodEvent => ({
  involvedObject: object,
  type,
  reason,
  message,
  lastTimestamp: new Date(at).toISOString(),
});
