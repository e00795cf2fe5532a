import type { Event, EventType } from '@nodeagent/api';
import { createEventCorrelator, newEvent } from '@nodeagent/event-recorder/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';
import { eventFractions } from '../masks.js';

interface RecordedEvent {
  t: number;
  pod: string;
  fieldPath?: string;
  type: EventType;
  reason: string;
  message: string;
}

const start = Date.UTC(2026, 0, 1);
const secondsOf = (time: Event['firstTimestamp']) => String((Date.parse(time ?? '') - start) / 1000);

function replay({ events }: { events: RecordedEvent[] }) {
  const correlator = createEventCorrelator();
  const results = events.map(({ t, pod, fieldPath, type, reason, message }, index) => {
    const object = { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name: pod, uid: `uid-${pod}`, ...(fieldPath && { fieldPath }) };
    const now = start + Math.floor(t * 1000);
    const name = `event#${index}`;
    const made = newEvent({ name, object, type, reason, message, component: 'kubelet', nodeName: 'n1', now });
    const result = correlator.correlate(made, now);
    if (result.action === 'drop') return { action: 'drop' };
    const { event } = result;
    return {
      action: result.action,
      nameOf: event.metadata.name,
      count: event.count,
      first: secondsOf(event.firstTimestamp),
      last: secondsOf(event.lastTimestamp),
      ...(event.message !== message && { message: event.message }),
      ...(result.action === 'patch' && { patch: JSON.stringify(result.patch) }),
    };
  });
  return { results };
}

export const eventRecorderAdapters: Adapter[] = [defineAdapter('event-correlator', replay, { masks: [eventFractions] })];
