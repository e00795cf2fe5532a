import { createHash } from 'node:crypto';
import { abortable, type Clock } from '@nodeagent/api';

/** An answer, and how long it may be given again, in milliseconds. */
interface Review<T> {
  value: T;
  ttlMs: number;
}

/** Remembers answers by what was asked; of what was asked, which may be secret, only a hash. */
export interface ReviewCache<T> {
  /** The answer to `question`: a remembered one, or what `ask` resolves with. Who asks the same meanwhile shares it; failures are not kept. */
  get(question: string, ask: () => Promise<Review<T>>, signal: AbortSignal): Promise<T>;
}

/** Keeps the `size` answers that were last asked for. */
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
