import type { Clock } from '@nodeagent/api';

/** Remembers recently logged texts, so that a fact is logged once and not by every part that notices it. */
export interface Repeats {
  /** Whether the text was logged recently. If not, records it. */
  isRepeat(text: string): boolean;
  /** Whether a recently logged text contains this cause. */
  isCauseLogged(cause: string): boolean;
}

const windowMs = 60_000;
const mostTexts = 200;
/** Minimum length of a cause; shorter ones occur in unrelated texts. */
const minCauseLength = 16;

export function createRepeats(clock: Pick<Clock, 'now'>): Repeats {
  const toldAt = new Map<string, number>();
  const forget = () => {
    for (const [text, at] of toldAt) {
      if (clock.now() - at <= windowMs && toldAt.size <= mostTexts) break;
      toldAt.delete(text);
    }
  };
  return {
    isRepeat(text) {
      forget();
      const key = withoutDurations(text);
      if (toldAt.has(key)) return true;
      toldAt.set(key, clock.now());
      return false;
    },
    isCauseLogged(cause) {
      forget();
      const key = withoutDurations(cause);
      return key.length >= minCauseLength && [...toldAt.keys()].some((text) => text.includes(key));
    },
  };
}

/** Removes durations, so that only the fact is compared. */
function withoutDurations(text: string): string {
  return text.replace(/\b\d+(\.\d+)?(ms|s|m|h)\b/g, '#');
}
