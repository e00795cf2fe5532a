import { NodeAgentError } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { errorText } from './error-text.js';

const refused = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:6443'), { code: 'ECONNREFUSED' });

it.each([
  ['a text', 'broken', 'broken'],
  ['an error', new Error('broken'), 'broken'],
  ['a cause with more information', new TypeError('fetch failed', { cause: refused }), 'fetch failed: connect ECONNREFUSED 192.0.2.1:6443'],
  [
    'a cause that the message has',
    new NodeAgentError('X', `cannot list pods: ${refused.message}`, { cause: refused }),
    `cannot list pods: ${refused.message}`,
  ],
  [
    'a cause that may quote what was parsed',
    new Error('invalid answer', { cause: new SyntaxError('Unexpected token in "secret"') }),
    'invalid answer',
  ],
  ['an error without a message', new Error('', { cause: refused }), refused.message],
])('shows %s', (_, error, text) => {
  expect(errorText(error)).toBe(text);
});

it('stops at a circular cause', () => {
  const error = new NodeAgentError('A', 'a', { cause: undefined });
  Object.assign(error, { cause: error });
  expect(errorText(error)).toBe('a');
});
