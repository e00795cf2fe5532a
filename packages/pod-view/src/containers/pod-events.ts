import type { Event, Pod } from '@nodeagent/api';
import { configHashAnnotation, configMirrorAnnotation, parseTime } from '@nodeagent/api/helpers';

/** An event as plain API JSON (`v1`, `Event`), or a part of one. */
export type PodEvent = Partial<Event> & { series?: { count?: number; lastObservedTime?: string | null } | null };

/** What counts of an event. */
export interface EventFacts {
  reason: string;
  message: string;
  /** Whether it is a warning. */
  warning: boolean;
  /** Number of occurrences. */
  count: number;
  /** The time of the last one, in milliseconds since 1970; 0 if unknown. */
  at: number;
  /** The container that the event is about; empty for the pod. */
  container: string;
}

/** The events about the pod, newest first. Events without an object count as its own. */
export function eventsOf({ metadata }: Pod, events: readonly PodEvent[]): EventFacts[] {
  // The events of a static pod are about its hash, which its mirror pod has in an annotation.
  const uids = [metadata?.uid, metadata?.annotations?.[configMirrorAnnotation], metadata?.annotations?.[configHashAnnotation]];
  return events
    .filter(({ involvedObject }) => {
      const { kind, name, uid } = involvedObject ?? {};
      return (
        (!kind || kind === 'Pod') && (!name || !metadata?.name || name === metadata.name) && (!uid || !metadata?.uid || uids.includes(uid))
      );
    })
    .map(({ reason, message, type, count, series, lastTimestamp, eventTime, firstTimestamp, involvedObject }) => ({
      reason: reason ?? '',
      message: message ?? '',
      warning: type === 'Warning',
      count: series?.count ?? count ?? 1,
      at: parseTime(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp) ?? 0,
      container: /\{(.*)\}/.exec(involvedObject?.fieldPath ?? '')?.[1] ?? '',
    }))
    .sort((a, b) => b.at - a.at);
}
