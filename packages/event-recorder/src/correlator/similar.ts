import type { Event } from '@nodeagent/api';

/** Recent similar events. */
export interface SimilarEvents {
  /** Their messages, each once. */
  messages: ReadonlySet<string>;
  /** Time of the last event, in milliseconds. */
  last: number;
}

/** Number of different messages from which events are aggregated. */
const maxMessages = 10;
/** After a longer pause the group starts again. */
const maxPauseMs = 600_000;

/**
 * Whether to aggregate an event with similar ones, because it is the tenth different message without a pause of more than ten
 * minutes; and the state for the next event. Once there are nine messages, the set stays unchanged, so that
 * these events keep separate counts.
 */
export function countSimilar(known: SimilarEvents | undefined, message: string, now: number): { similar: SimilarEvents; combine: boolean } {
  const messages = known === undefined || now - known.last > maxPauseMs ? new Set<string>() : known.messages;
  if (messages.has(message)) return { similar: { messages, last: now }, combine: false };
  if (messages.size + 1 >= maxMessages) return { similar: { messages, last: now }, combine: true };
  return { similar: { messages: new Set(messages).add(message), last: now }, combine: false };
}

/** The aggregate of similar events. */
export function combinedEvent(event: Event): Event {
  const { reportingComponent: _component, reportingInstance: _instance, ...rest } = event;
  return { ...rest, message: `(combined from similar events): ${event.message ?? ''}` };
}
