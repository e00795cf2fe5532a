import { describe, expect, it } from 'vitest';
import { parseApiStatus, parseRetryAfter, readText, statusOf } from './api-response.js';

const now = Date.UTC(2026, 0, 1);

it.each([
  [undefined, undefined],
  ['0', 0],
  [' 7 ', 7_000],
  ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
  ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
  ['tomorrow', undefined],
])('Retry-After: %s is %s ms', (value, ms) => {
  expect(parseRetryAfter(value, now)).toBe(ms);
});

describe('the status of an error response', () => {
  const target = { method: 'GET', path: '/x' };

  it.each([
    [400, 'BadRequest'],
    [404, 'NotFound'],
    [409, 'Conflict'],
    [410, 'Gone'],
    [504, 'Timeout'],
    [418, 'Unknown'],
  ])('of %s without a body is %s', (code, reason) => {
    expect(parseApiStatus(target, code, {}, '', now)).toEqual({ code, reason, message: `the server responded ${code} to GET /x` });
  });

  it('takes Retry-After from the header, else from the details', () => {
    const body = JSON.stringify({
      kind: 'Status',
      code: 429,
      reason: 'TooManyRequests',
      message: 'slow',
      details: { retryAfterSeconds: 3 },
    });
    expect(parseApiStatus(target, 429, {}, body, now).retryAfterMs).toBe(3_000);
    expect(parseApiStatus(target, 429, { 'retry-after': '9' }, body, now).retryAfterMs).toBe(9_000);
  });

  it('is read only from a Status, with defaults for missing fields', () => {
    expect(statusOf({ kind: 'Pod' })).toBeUndefined();
    expect(statusOf({ kind: 'Status', details: { causes: ['x', { reason: 'R', message: 1 }] } }, 404)).toEqual({
      code: 404,
      reason: 'NotFound',
      message: 'the server responded 404',
      causes: [{ reason: 'R' }],
    });
  });
});

describe('a body', () => {
  const target = { method: 'GET', path: '/api' };
  const bodyOf = async function* (...pieces: (string | Uint8Array)[]) {
    yield* pieces;
  };

  it('is one text, or bytes that may split characters', async () => {
    const bytes = new TextEncoder().encode('"ä"');
    expect(await readText(target, bodyOf('"ä"'), 4)).toBe('"ä"');
    expect(await readText(target, bodyOf(bytes.subarray(0, 2), bytes.subarray(2)), 4)).toBe('"ä"');
  });

  it('has at most as many bytes as the limit', async () => {
    const tooLarge = expect.objectContaining({ code: 'ResponseTooLarge' });
    await expect(readText(target, bodyOf('"ä"'), 3)).rejects.toEqual(tooLarge);
    await expect(readText(target, bodyOf(new Uint8Array(2), new Uint8Array(2)), 3)).rejects.toEqual(tooLarge);
  });
});
