import { createHash } from 'node:crypto';
import { abortable, type Clock } from '@nodeagent/api';

/** A review result, and for how many milliseconds it is cached. */
interface Review<T> {
  value: T;
  ttlMs: number;
}

/** Caches review results by a hash of the request, which may be secret. */
export interface ReviewCache<T> {
  /**
   * The cached result of `question`, or the result of `ask`. Concurrent calls with the same question share one call; failures are not
   * cached.
   */
  get(question: string, ask: () => Promise<Review<T>>, signal: AbortSignal): Promise<T>;
}

/** Creates a cache of the `size` most recently used results. */
export function createReviewCache<T>({ size, clock }: { size: number; clock: Clock }): ReviewCache<T> {
  const answers = new Map<string, { value: T; until: number }>();
  const asked = new Map<string, Promise<T>>();
  return {
    get(question, ask, signal) {
      const key = createHash('sha256').update(question).digest('base64');
      const known = answers.get(key);
      if (known !== undefined) {
        answers.delete(key);
        if (clock.monotonic() < known.until) {
          answers.set(key, known);
          return Promise.resolve(known.value);
        }
      }
      let answer = asked.get(key);
      if (answer === undefined) {
        answer = ask()
          .then(({ value, ttlMs }) => {
            answers.set(key, { value, until: clock.monotonic() + ttlMs });
            if (answers.size > size) answers.delete(answers.keys().next().value as string);
            return value;
          })
          .finally(() => asked.delete(key));
        asked.set(key, answer);
      }
      return abortable(answer, signal);
    },
  };
}
