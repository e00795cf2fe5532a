/** Inputs of the next full relist's delay; times in milliseconds. */
export interface RelistDelayInput {
  /** Whether an event stream works. */
  following: boolean;
  /** Relists since the stream was opened, or since it last lost an event. */
  relistsWithoutDrift: number;
  /** Interval without events. */
  genericPeriodMs: number;
  /** Longest interval with events. */
  eventedPeriodMs: number;
}

/**
 * Milliseconds from the end of one full relist to the start of the next. With a stream it starts at the generic period and doubles with
 * each relist that finds no unreported change. This also covers the gap between opening a stream and the runtime's subscription, which CRI
 * does not confirm.
 */
export function nextRelistDelay({ following, relistsWithoutDrift, genericPeriodMs, eventedPeriodMs }: RelistDelayInput): number {
  return following ? Math.min(genericPeriodMs * 2 ** relistsWithoutDrift, Math.max(genericPeriodMs, eventedPeriodMs)) : genericPeriodMs;
}
