import { describe, expect, it } from 'vitest';
import type { ApiContext } from '../context.js';
import { withAnswers } from './answers.js';
import { AnswerNeeded, noAnswers } from './known-answers.js';

function context(): ApiContext {
  let [at, time] = [0, 0];
  return { answers: noAnswers, random: () => at++, clock: { now: () => time++ } } as unknown as ApiContext;
}

describe('operations that need answers', () => {
  it('ask each question once, with the same random numbers and time in each run', async () => {
    const asked: string[] = [];
    const ask = (key: string) => async () => {
      asked.push(key);
      return key.toUpperCase();
    };
    const result = await withAnswers(context(), ({ answers, random, clock }) => {
      const name = `${random()}-${random()}-${clock.now()}`;
      return answers.of(`a${name}`, ask(`a${name}`)) + answers.of('b', ask('b'));
    });
    expect(asked).toEqual([result.slice(0, -1).toLowerCase(), 'b']);
  });

  it('run once if they need none', async () => {
    let runs = 0;
    await withAnswers(context(), () => ++runs);
    expect(runs).toBe(1);
  });

  it('fail with the error of the answer', async () => {
    const failing = withAnswers(context(), ({ answers }) => answers.of('a', () => Promise.reject(new Error('refused'))));
    await expect(failing).rejects.toThrow('refused');
  });

  it('fail if every run asks another question', async () => {
    let runs = 0;
    const endless = withAnswers(context(), ({ answers }) => answers.of(String(runs++), async () => 'answer'));
    await expect(endless).rejects.toThrow('the object was changed too often by others');
    expect(runs).toBeLessThan(200);
  });

  it('fail if every run asks the same question', async () => {
    let asked = 0;
    const again = () => {
      throw new AnswerNeeded('same', async () => ++asked);
    };
    await expect(withAnswers(context(), again)).rejects.toThrow('the object was changed too often by others');
    expect(asked).toBeLessThan(200);
    const failing = () => {
      throw new AnswerNeeded('same', () => Promise.reject(new Error('no answer')));
    };
    await expect(withAnswers(context(), failing)).rejects.toThrow('no answer');
  });
});
