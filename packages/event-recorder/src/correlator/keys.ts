import type { Event } from '@nodeagent/api';

const separator = '\0';

const text = (parts: readonly (string | undefined)[]) => parts.map((part) => part ?? '').join(separator);

function sourceAndObject({ source, involvedObject: { kind, namespace, name, uid, apiVersion } }: Event) {
  return [source?.component, source?.host, kind, namespace, name, uid, apiVersion];
}

/** What events have in common that say the same of the same part of an object. */
export function seriesKey(event: Event): string {
  return text([...sourceAndObject(event), event.involvedObject.fieldPath, event.type, event.reason, event.message]);
}

/** What events have in common that differ in their message or in the part of the object only. */
export function similarKey(event: Event): string {
  return text([...sourceAndObject(event), event.type, event.reason, event.reportingComponent, event.reportingInstance]);
}

/** What events have in common that draw from one allowance: the object and the type, whatever they say. */
export function spamKey(event: Event): string {
  return text([...sourceAndObject(event), event.type]);
}
