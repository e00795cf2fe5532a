import type { Clock, Random } from '@nodeagent/api';
import type { ApiContext } from '../context.js';
import { internalError } from '../status.js';
import { AnswerNeeded, type Answers } from './known-answers.js';

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
  let runs = 0;
  while (known.size < maxQuestions) {
    try {
      return await operation({ ...context, answers, clock, random: repeated(context.random, randoms) });
    } catch (error) {
      if (!(error instanceof AnswerNeeded)) throw error;
      // A question that failed before fails again.
      const failed = known.get(error.key);
      if (failed && 'error' in failed) throw failed.error;
      if (++runs > maxQuestions) break;
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
