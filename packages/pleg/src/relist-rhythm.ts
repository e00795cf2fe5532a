/** What the time of the next full relist follows from; times in milliseconds. */
export interface RelistRhythm {
  /** Whether events tell what happens. */
  following: boolean;
  /** Relists since the stream began, or since it was last found to have lost something. */
  relistsWithoutDrift: number;
  /** Without events. */
  genericPeriodMs: number;
  /** With events, at most. */
  eventedPeriodMs: number;
}

/**
 * Milliseconds from the end of one full relist to the next. A stream earns its trust: the pauses begin with the generic one and
 * double with each relist that shows nothing that events had not told. That also closes the gap between asking for a stream and the
 * runtime's subscribing, of which CRI gives no sign.
 */
export function nextRelistDelay({ following, relistsWithoutDrift, genericPeriodMs, eventedPeriodMs }: RelistRhythm): number {
  return following ? Math.min(genericPeriodMs * 2 ** relistsWithoutDrift, Math.max(genericPeriodMs, eventedPeriodMs)) : genericPeriodMs;
}
