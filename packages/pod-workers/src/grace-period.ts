/** Sources of a pod's grace period, in seconds. */
export interface GracePeriodSources {
  /** The current effective one; 0 if none. */
  recorded: number;
  /** Set by the API server when deletion was requested. */
  deletionGracePeriodSeconds?: number | null | undefined;
  /** Set by the caller of the kill: eviction, preemption or node shutdown. */
  override?: number | null | undefined;
  /** The pod spec's value. */
  terminationGracePeriodSeconds?: number | null | undefined;
}

/** The effective grace period, at least 1 s, and whether it replaces a different one, so that a running kill must restart. */
export interface EffectiveGracePeriod {
  gracePeriod: number;
  shortened: boolean;
}

/**
 * A grace period can only be shortened: first by the deletion, then by the override, each if it is smaller than the effective one. The
 * spec's value applies only if neither applied and none is set. One exception follows the kubelet: a value of 0 counts as unset for the
 * next source, which may then be larger.
 */
export function effectiveGracePeriod({
  recorded,
  deletionGracePeriodSeconds,
  override,
  terminationGracePeriodSeconds,
}: GracePeriodSources): EffectiveGracePeriod {
  let gracePeriod = recorded;
  let overridden = false;
  for (const source of [deletionGracePeriodSeconds, override]) {
    if (source == null || (gracePeriod !== 0 && source >= gracePeriod)) continue;
    gracePeriod = source;
    overridden = true;
  }
  if (!overridden && gracePeriod === 0) gracePeriod = terminationGracePeriodSeconds ?? 0;
  gracePeriod = Math.max(1, gracePeriod);
  return { gracePeriod, shortened: recorded !== 0 && recorded !== gracePeriod };
}

/** Seconds that a caller waits for a kill with this grace period: 1.5 times as long, at least 10. */
export function killTimeoutSeconds(gracePeriod: number): number {
  return Math.max(10, gracePeriod + Math.floor(gracePeriod / 2));
}
