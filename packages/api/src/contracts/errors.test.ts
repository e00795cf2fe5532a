import { expect, it } from 'vitest';
import { errorHint, NodeAgentError } from './errors.js';

it('finds the hint of an error, or the first one of what caused it', () => {
  const hinted = new NodeAgentError('Deep', 'no', { hint: 'start it' });
  const wrapped = new NodeAgentError('Outer', 'failed', { cause: new AggregateError([new Error('other'), hinted]) });
  expect([hinted, wrapped, new Error('x'), undefined, 'text'].map(errorHint)).toEqual([
    'start it',
    'start it',
    undefined,
    undefined,
    undefined,
  ]);
});

it('ends although a cause leads back to its error', () => {
  const loop = new Error('loop');
  loop.cause = loop;
  expect(errorHint(loop)).toBeUndefined();
});
