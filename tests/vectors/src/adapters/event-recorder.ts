import { type Event, type EventType, formatTime } from '@nodeagent/api';
import { createEventCorrelator, newEvent } from '@nodeagent/event-recorder/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

interface RecordedEvent {
  t: number;
  pod: string;
  fieldPath?: string;
  type: EventType;
  reason: string;
  message: string;
}

const start = Date.UTC(2026, 0, 1);
/** The recorded times are finer than the API's whole seconds, which only the patch has. */
const fine = (ms: number) => new Date(ms).toISOString();
const secondsOf = (time: Event['firstTimestamp']) => String((Date.parse(time ?? '') - start) / 1000);

function replay({ events }: { events: RecordedEvent[] }) {
  const correlator = createEventCorrelator();
  const results = events.map(({ t, pod, fieldPath, type, reason, message }, index) => {
    const object = { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name: pod, uid: `uid-${pod}`, ...(fieldPath && { fieldPath }) };
    const now = start + Math.round(t * 1000);
    const name = `event#${index}`;
    const made = newEvent({ name, object, type, reason, message, component: 'kubelet', nodeName: 'n1', now });
    const result = correlator.correlate({ ...made, firstTimestamp: fine(now), lastTimestamp: fine(now) }, now);
    if (result.action === 'drop') return { action: 'drop' };
    const { event } = result;
    return {
      action: result.action,
      nameOf: event.metadata.name,
      count: event.count,
      first: secondsOf(event.firstTimestamp),
      last: secondsOf(event.lastTimestamp),
      ...(event.message !== message && { message: event.message }),
      ...(result.action === 'patch' && {
        patch: JSON.stringify({ ...result.patch, lastTimestamp: formatTime(start + Math.floor(t) * 1000) }),
      }),
    };
  });
  return { results };
}

const toMilliseconds = ({ first, last, ...result }: Record<string, unknown>) =>
  first === undefined ? result : { ...result, first: Number(first).toFixed(3), last: Number(last).toFixed(3) };

export const eventRecorderAdapters: Adapter[] = [
  // Recorded seconds are binary fractions, cut off behind the ninth digit: compared to the millisecond.
  defineAdapter('event-correlator', replay, { normalize: ({ results }) => results.map(toMilliseconds) }),
];
