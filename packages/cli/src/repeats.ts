import type { Clock } from '@nodeagent/api';

/** Remembers recently logged texts, so that a fact is logged once and not by every part that notices it. */
export interface Repeats {
  /** Whether the text was logged recently. If not, records it. */
  isRepeat(text: string): boolean;
  /** Whether a recently logged text contains this cause. */
  isCauseLogged(cause: string): boolean;
}

const windowMs = 60_000;
const maxTexts = 200;
/** Minimum length of a cause; shorter ones occur in unrelated texts. */
const minCauseLength = 16;

export function createRepeats(clock: Pick<Clock, 'now'>): Repeats {
  const loggedAt = new Map<string, number>();
  const forget = () => {
    for (const [text, at] of loggedAt) {
      if (clock.now() - at <= windowMs && loggedAt.size <= maxTexts) break;
      loggedAt.delete(text);
    }
  };
  return {
    isRepeat(text) {
      forget();
      const key = withoutDurations(text);
      if (loggedAt.has(key)) return true;
      loggedAt.set(key, clock.now());
      return false;
    },
    isCauseLogged(cause) {
      forget();
      const key = withoutDurations(cause);
      return key.length >= minCauseLength && [...loggedAt.keys()].some((text) => text.includes(key));
    },
  };
}

/** Removes durations, so that only the fact is compared. */
function withoutDurations(text: string): string {
  return text.replace(/\b\d+(\.\d+)?(ms|s|m|h)\b/g, '#');
}
