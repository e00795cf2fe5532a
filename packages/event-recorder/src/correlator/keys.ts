import type { Event } from '@nodeagent/api';

const separator = '\0';

const text = (parts: readonly (string | undefined)[]) => parts.map((part) => part ?? '').join(separator);

function sourceAndObject({ source, involvedObject: { kind, namespace, name, uid, apiVersion } }: Event) {
  return [source?.component, source?.host, kind, namespace, name, uid, apiVersion];
}

/** Key of a series: events with the same content about the same part of an object. */
export function seriesKey(event: Event): string {
  return text([...sourceAndObject(event), event.involvedObject.fieldPath, event.type, event.reason, event.message]);
}

/** Key of similar events: they differ only in their message or in the part of the object. */
export function similarKey(event: Event): string {
  return text([...sourceAndObject(event), event.type, event.reason, event.reportingComponent, event.reportingInstance]);
}

/** Key of a spam bucket: the source, the object and the type. */
export function spamKey(event: Event): string {
  return text([...sourceAndObject(event), event.type]);
}
