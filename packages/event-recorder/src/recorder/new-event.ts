import { type Clock, type Event, type EventType, type ObjectReference, type Random, systemClock, systemRandom } from '@nodeagent/api';
import { dnsSubdomainProblems, formatTime } from '@nodeagent/api/helpers';

/** The facts of an event. */
export interface NewEvent {
  /** The event's own name. */
  name: string;
  object: ObjectReference;
  type: EventType;
  reason: string;
  message: string;
  annotations?: Readonly<Record<string, string>> | undefined;
  component: string;
  nodeName: string;
  /** Milliseconds since 1970. */
  now: number;
}

/** Creates the event object. Events of objects without a namespace, such as nodes, are in `default`. */
export function newEvent({ name, object, type, reason, message, annotations, component, nodeName, now }: NewEvent): Event {
  const time = formatTime(now);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: object.namespace || 'default', ...(annotations && { annotations: { ...annotations } }) },
    involvedObject: object,
    reason,
    message,
    source: { component, host: nodeName },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type,
    reportingComponent: component,
    reportingInstance: nodeName,
  };
}

/** Generates unique event names: `<object>.<time>`, or a UUID if that is not a DNS subdomain. */
export function createEventNames(clock: Pick<Clock, 'now'> = systemClock, random: Random = systemRandom): (objectName: string) => string {
  let last = 0n;
  return (objectName) => {
    const now = BigInt(Math.trunc(clock.now())) * 1_000_000n;
    last = now > last ? now : last + 1n;
    const name = `${objectName}.${last.toString(16)}`;
    return dnsSubdomainProblems(name).length === 0 ? name : uuid(random);
  };
}

function uuid(random: Random): string {
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
  const variant = (8 + Math.floor(random() * 4)).toString(16);
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${variant}${hex(3)}-${hex(12)}`;
}
