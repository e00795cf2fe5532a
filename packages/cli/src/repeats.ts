import type { Clock } from '@nodeagent/api';

/** Remembers what was told lately, so that a fact is told once and not by every part that notices it. */
export interface Repeats {
  /** Whether the text was told lately. If not, it counts as told now. */
  isTold(text: string): boolean;
  /** Whether a text that was told lately has this cause in it. */
  isCauseTold(cause: string): boolean;
}

const windowMs = 60_000;
const mostTexts = 200;
/** Shorter causes are found in anything. */
const shortestCause = 16;

export function createRepeats(clock: Pick<Clock, 'now'>): Repeats {
  const toldAt = new Map<string, number>();
  const forget = () => {
    for (const [text, at] of toldAt) {
      if (clock.now() - at <= windowMs && toldAt.size <= mostTexts) break;
      toldAt.delete(text);
    }
  };
  return {
    isTold(text) {
      forget();
      const key = withoutDurations(text);
      if (toldAt.has(key)) return true;
      toldAt.set(key, clock.now());
      return false;
    },
    isCauseTold(cause) {
      forget();
      const key = withoutDurations(cause);
      return key.length >= shortestCause && [...toldAt.keys()].some((text) => text.includes(key));
    },
  };
}

/** How long something has lasted is not another fact. */
function withoutDurations(text: string): string {
  return text.replace(/\b\d+(\.\d+)?(ms|s|m|h)\b/g, '#');
}
