/** Where a grace period may come from; all in seconds. */
export interface GracePeriodSources {
  /** The one in force so far; 0 if none. */
  recorded: number;
  /** The API server's, set when deletion was asked for. */
  deletionGracePeriodSeconds?: number | null | undefined;
  /** Of the party that asks for the kill: eviction, preemption, shutdown. */
  override?: number | null | undefined;
  /** The pod spec's own wish. */
  terminationGracePeriodSeconds?: number | null | undefined;
}

/** The grace period in force, at least 1 s, and whether it replaces a different one, so that a running kill must start anew. */
export interface EffectiveGracePeriod {
  gracePeriod: number;
  shortened: boolean;
}

/**
 * A grace period only shrinks once it is set: deletion first, then the override, each taken if it is smaller than what is in force.
 * The spec's wish counts only if neither was taken and none is in force. One exception follows the kubelet: a source that gives 0
 * counts as none for the next source, which may then be larger.
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

/** Seconds that a caller waits for a kill with this grace period: one and a half times as long, at least 10. */
export function killTimeoutSeconds(gracePeriod: number): number {
  return Math.max(10, gracePeriod + Math.floor(gracePeriod / 2));
}
