import { internalError } from '../status.js';

/** Answers from outside of the process, such as those of webhooks, which operations need before they write. */
export interface Answers {
  /** Whether the caller can wait: a request can, `objects` cannot. */
  readonly canWait: boolean;
  /** The answer to a question with this key. Throws {@link AnswerNeeded} as long as it is not known, or the error of `ask`. */
  of<T>(key: string, ask: () => Promise<T>): T;
}

/** An operation stopped before its first write, because it needs an answer; it runs again once the answer is known. */
export class AnswerNeeded extends Error {
  readonly key: string;
  readonly ask: () => Promise<unknown>;

  constructor(key: string, ask: () => Promise<unknown>) {
    super(`an answer is needed: ${key.slice(0, 100)}`);
    this.key = key;
    this.ask = ask;
  }
}

/** Answers of operations that `withAnswers` runs for the first time. */
export const noAnswers: Answers = {
  canWait: true,
  of: (key, ask) => {
    throw new AnswerNeeded(key, ask);
  },
};

/** Answers of callers that cannot wait. */
export const cannotWait: Answers = {
  canWait: false,
  of: (key) => {
    throw internalError(`this write cannot wait for an answer: ${key.slice(0, 100)}`);
  },
};
