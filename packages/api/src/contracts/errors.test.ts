import { expect, it } from 'vitest';
import { errorHint, NodeAgentError } from './errors.js';

it('returns the hint of an error, or the first one among its causes', () => {
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

it('terminates for a cycle of causes', () => {
  const loop = new Error('loop');
  loop.cause = loop;
  expect(errorHint(loop)).toBeUndefined();
});
