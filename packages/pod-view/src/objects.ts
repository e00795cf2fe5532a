// Only types of `@nodeagent/api` are imported: this package is for pages in which each KiB counts.
import type { Container, PodStatus, Time } from '@nodeagent/api';

/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A Kubernetes time in milliseconds since 1970; undefined if it is absent or invalid. */
export function parseTime(time: Time | null | undefined): number | undefined {
  const ms = time ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** An init container that keeps running beside the regular ones (KEP-753). */
export const isSidecar = (initContainer: Container): boolean => initContainer.restartPolicy === 'Always';

export const isTerminal = (status: PodStatus | undefined): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

export function isConditionTrue(status: PodStatus | undefined, type: string): boolean {
  return status?.conditions?.find((condition) => condition.type === type)?.status === 'True';
}
