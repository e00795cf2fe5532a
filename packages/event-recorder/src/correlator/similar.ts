import type { Event } from '@nodeagent/api';

/** Similar events that came up lately. */
export interface SimilarEvents {
  /** Their messages, each once. */
  messages: ReadonlySet<string>;
  /** When the last one came up, in milliseconds. */
  last: number;
}

/** So many different messages in a row make their events one. */
const mostMessages = 10;
/** Similar events that are further apart have nothing to do with each other. */
const longestPauseMs = 600_000;

/**
 * Whether an event is to be combined with those like it, because it is the tenth different message without a pause of more than ten
 * minutes; and what is to be remembered for the next one. The messages that are remembered stay the same once there are nine, so that
 * those events keep their own count.
 */
export function countSimilar(known: SimilarEvents | undefined, message: string, now: number): { similar: SimilarEvents; combine: boolean } {
  const messages = known === undefined || now - known.last > longestPauseMs ? new Set<string>() : known.messages;
  if (messages.has(message)) return { similar: { messages, last: now }, combine: false };
  if (messages.size + 1 >= mostMessages) return { similar: { messages, last: now }, combine: true };
  return { similar: { messages: new Set(messages).add(message), last: now }, combine: false };
}

/** The event that stands for all those like it. */
export function combinedEvent(event: Event): Event {
  const { reportingComponent: _component, reportingInstance: _instance, ...rest } = event;
  return { ...rest, message: `(combined from similar events): ${event.message ?? ''}` };
}
