import type { ContainerStatus, Event, KubeObject, Node, Pod, TimelineEntry } from '@nodeagent/api';
import { terminationText } from '@nodeagent/pod-view';
import type { ClusterPageChange } from './options.js';

/**
 * What a timeline shows of a change: containers that have terminated, phases of pods, conditions of nodes, and events. `now` is in
 * milliseconds since 1970. An entry without a pod has its subject in `fields`: `node-1`, `Deployment web`.
 */
export function timelineEntries(change: ClusterPageChange, now: number): TimelineEntry[] {
  const { type, resource, object, previous } = change;
  if (type === 'DELETED') return [];
  if (resource === 'events') return [eventEntry(object, now)];
  if (resource === 'pods') return podEntries(object, previous, now);
  return resource === 'nodes' ? nodeEntries(object, previous, now) : [];
}

function eventEntry({ reason = '', message = '', type, involvedObject = {} }: Partial<Event>, now: number): TimelineEntry {
  const { kind = '', namespace = '', name = '', uid = '' } = involvedObject;
  const common = { time: now, kind: 'event' as const, text: `${reason}: ${message}`, ...(type === 'Warning' && { warning: true }) };
  if (kind === 'Pod') return { ...common, pod: { uid, namespace, name }, fields: { reason } };
  return { ...common, fields: { reason, subject: kind === 'Node' ? name : `${kind} ${name}` } };
}

function podEntries(pod: Pod, previous: Pod | undefined, now: number): TimelineEntry[] {
  const { uid = '', namespace = '', name = '', deletionTimestamp } = pod.metadata ?? {};
  const common = { time: now, pod: { uid, namespace, name } };
  const before = terminationsOf(previous);
  const died = [...terminationsOf(pod)]
    .filter(([container, { key }]) => before.get(container)?.key !== key)
    .map(([container, { text, exitCode }]) => ({
      ...common,
      kind: 'lifecycle' as const,
      text: `container ${container} ${text}`,
      ...(exitCode !== 0 && !deletionTimestamp && { warning: true }),
      fields: { event: 'ContainerDied', container, exitCode },
    }));
  return [...died, ...phaseEntry(pod, previous).map((entry) => ({ ...common, ...entry }))];
}

type Termination = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

/** The last termination of each container. */
function terminationsOf(pod: Pod | undefined): Map<string, { key: string; text: string; exitCode: number }> {
  const { initContainerStatuses = [], containerStatuses = [] } = pod?.status ?? {};
  return new Map(
    [...initContainerStatuses, ...containerStatuses].flatMap(({ name, state, lastState }) => {
      const last = state?.terminated ?? lastState?.terminated;
      return last ? [[name, { key: keyOf(last), text: terminationText(last), exitCode: last.exitCode }]] : [];
    }),
  );
}

const keyOf = ({ containerID = '', finishedAt, exitCode }: Termination) => `${containerID} ${finishedAt} ${exitCode}`;

function phaseEntry(pod: Pod, previous: Pod | undefined): Pick<TimelineEntry, 'kind' | 'text' | 'warning'>[] {
  const { phase, reason, message } = pod.status ?? {};
  if (phase === undefined || previous === undefined || previous.status?.phase === phase) return [];
  const why = [reason, message].filter(Boolean).join(': ');
  return [{ kind: 'status', text: `phase ${phase}${why && `: ${why}`}`, ...(phase === 'Failed' && { warning: true }) }];
}

function nodeEntries({ metadata, status }: Node, previous: KubeObject | undefined, now: number): TimelineEntry[] {
  const before = (previous as Node | undefined)?.status?.conditions ?? [];
  return (status?.conditions ?? []).flatMap(({ type, status: value, reason, message }) => {
    const old = before.find((each) => each.type === type)?.status;
    const isGood = (type === 'Ready') === (value === 'True');
    // A condition that was always good is no change.
    if (old === value || (old === undefined && isGood)) return [];
    const text = [`${type}=${value}`, reason, message].filter(Boolean).join(': ');
    return [{ time: now, kind: 'node', text, ...(!isGood && { warning: true }), fields: { subject: metadata?.name ?? '' } }];
  });
}
