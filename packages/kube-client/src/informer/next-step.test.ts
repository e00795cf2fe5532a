import { apiStatusError } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { nextStep, type ReflectorStep } from './next-step.js';

const failure = (code: number, reason: string) => apiStatusError({ code, reason, message: reason });
const list = (version: string): ReflectorStep => ({ do: 'list', version, wait: 'none' });

describe('the step after a failed list', () => {
  it.each([
    [400, 'BadRequest'],
    [410, 'Expired'],
  ])('is a list of the newest objects at once after %i, which refuses the version', (code, reason) => {
    const end = { type: 'listFailed', error: failure(code, reason) } as const;
    expect(nextStep(list('bad'), end)).toEqual({ do: 'list', version: '', wait: 'none' });
  });

  it('backs off if the newest objects cannot be listed either', () => {
    const end = { type: 'listFailed', error: failure(400, 'BadRequest') } as const;
    expect(nextStep(list(''), end)).toEqual({ do: 'list', version: '', wait: 'backoff' });
  });

  it('keeps the version after an error that is none of the version', () => {
    const end = { type: 'listFailed', error: failure(503, 'ServiceUnavailable') } as const;
    expect(nextStep(list('7'), end)).toEqual({ do: 'list', version: '7', wait: 'backoff' });
  });
});

it('lists after a watch from an invalid version, and watches again after one that the server could not serve', () => {
  const step: ReflectorStep = { do: 'watch', version: '7', wait: 'none' };
  const after = (code: number, reason: string) => nextStep(step, { type: 'watchFailed', version: '7', error: failure(code, reason) }).do;
  expect([after(400, 'BadRequest'), after(410, 'Expired'), after(429, 'TooManyRequests'), after(500, 'InternalError')]).toEqual([
    'list',
    'list',
    'watch',
    'watch',
  ]);
});
