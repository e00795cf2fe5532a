import type { Invariant } from './snapshot.js';

/** Tokens of an object's full bucket in the event recorder. */
const burst = 25;
/** Time in which the bucket gains one token. */
const tokenMs = 300_000;

/** The number of events that an agent may write about an object in this time since its start. */
export const maxEvents = (elapsedMs: number): number => burst + Math.floor(elapsedMs / tokenMs);

/** The events about one object are rate-limited. */
export const eventLimits: Invariant = ({ nowMs, history }) =>
  [...history.eventWrites]
    .filter(([, { sinceMs, writes }]) => writes.size > maxEvents(nowMs - sinceMs))
    .map(([bucket, { sinceMs, writes }]) => `${writes.size} ${bucket} were written in ${Math.round(nowMs - sinceMs)} ms`);
