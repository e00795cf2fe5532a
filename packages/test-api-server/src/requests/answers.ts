import type { Clock, Random } from '@nodeagent/api';
import type { ApiContext } from '../context.js';
import { internalError } from '../status.js';

/** Answers from outside of the process, such as those of webhooks, which operations need before they write. */
export interface Answers {
  /** Whether the caller can wait: a request can, `objects` cannot. */
  readonly canWait: boolean;
  /** The answer to a question with this key. Throws {@link AnswerNeeded} as long as it is not known, or the error of `ask`. */
  of<T>(key: string, ask: () => Promise<T>): T;
}

/** An operation stopped before it wrote anything, because it needs an answer; it runs again once the answer is known. */
export class AnswerNeeded extends Error {
  readonly key: string;
  readonly ask: () => Promise<unknown>;

  constructor(key: string, ask: () => Promise<unknown>) {
    super(`an answer is needed: ${key.slice(0, 100)}`);
    this.key = key;
    this.ask = ask;
  }
}

/** Answers of operations that {@link withAnswers} runs for the first time. */
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

/** An operation whose questions change at each run, because others keep writing its object, fails after so many. */
const maxQuestions = 100;

/**
 * Runs an operation that may need answers. It runs again after each answer, on the objects of that time and with the same random numbers and
 * time, so that it asks the same question only once; a change of its object by others makes a new question.
 */
export async function withAnswers<T>(context: ApiContext, operation: (context: ApiContext) => T | Promise<T>): Promise<T> {
  try {
    return await operation(context);
  } catch (error) {
    if (!(error instanceof AnswerNeeded)) throw error;
  }
  const known = new Map<string, { value?: unknown; error?: unknown }>();
  const answers: Answers = {
    canWait: true,
    of: <A>(key: string, ask: () => Promise<A>) => {
      const answer = known.get(key);
      if (answer === undefined) throw new AnswerNeeded(key, ask);
      if ('error' in answer) throw answer.error;
      return answer.value as A;
    },
  };
  const randoms: number[] = [];
  const clock = stoppedAt(context.clock, context.clock.now());
  while (known.size < maxQuestions) {
    try {
      return await operation({ ...context, answers, clock, random: repeated(context.random, randoms) });
    } catch (error) {
      if (!(error instanceof AnswerNeeded)) throw error;
      known.set(
        error.key,
        await error.ask().then(
          (value) => ({ value }),
          (reason: unknown) => ({ error: reason }),
        ),
      );
    }
  }
  throw internalError('the object was changed too often by others');
}

/** The same numbers in every run. */
function repeated(random: Random, drawn: number[]): Random {
  let at = 0;
  return () => {
    drawn[at] ??= random();
    return drawn[at++] as number;
  };
}

function stoppedAt(clock: Clock, time: number): Clock {
  return {
    now: () => time,
    monotonic: () => clock.monotonic(),
    setTimeout: (callback, ms) => clock.setTimeout(callback, ms),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}
