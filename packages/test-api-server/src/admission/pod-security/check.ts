import type { Container, ObjectMeta, PodSpec } from '@nodeagent/api';

/** A pod, or the template of one. */
export interface CheckedPod {
  metadata?: ObjectMeta;
  spec: PodSpec;
}

/** Why a pod breaks a rule: `reason (detail)` in messages. */
export interface Violation {
  reason: string;
  detail: string;
}

/** One rule of a standard: Kubernetes documentation, "Pod Security Standards". */
export type Check = (pod: CheckedPod) => Violation | undefined;

export function containersOf({ spec }: CheckedPod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...((spec.ephemeralContainers ?? []) as Container[])];
}

export const quoted = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ');

/** `container "a"`, `containers "a", "b"`. */
export const namesOf = (containers: readonly Container[]): string =>
  plural(
    'container',
    containers.map(({ name }) => name),
  );

/** `volume "a"`, `volumes "a", "b"`. */
export const plural = (what: string, names: readonly string[]): string => `${what}${names.length === 1 ? '' : 's'} ${quoted(names)}`;

export function violation(reason: string, ...details: (string | false | undefined)[]): Violation | undefined {
  const given = details.filter(Boolean);
  return given.length === 0 ? undefined : { reason, detail: given.join('; ') };
}

/** The rule of containers, and of the pod, that must not set something. */
export function mustNot(pod: boolean, containers: readonly Container[], rule: string): string | undefined {
  const subjects = [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [namesOf(containers)] : [])];
  return subjects.length === 0 ? undefined : `${subjects.join(' and ')} must not ${rule}`;
}
