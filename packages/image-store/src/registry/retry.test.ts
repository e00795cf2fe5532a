import { describe, expect, it } from 'vitest';
import { followRedirect, registryRetryDelay } from './retry.js';

describe('registryRetryDelay', () => {
  const delay = (request: object, random = 1) => registryRetryDelay({ failures: 1, ...request }, 1_000_000, () => random);

  it('doubles with each failure, half of it random, until there are six', () => {
    expect([1, 2, 3, 4, 5, 6].map((failures) => delay({ failures }))).toEqual([500, 1000, 2000, 4000, 8000, undefined]);
    expect(delay({ failures: 3 }, 0)).toBe(1000);
  });

  it.each([
    [404, undefined, undefined],
    [401, undefined, undefined],
    [503, undefined, 500],
    [429, '7', 7000],
    [429, new Date(1_009_000).toUTCString(), 9000],
    [429, '0', 500],
    [429, 'later', 500],
    [503, '3600', undefined],
  ])('for status %s with Retry-After %s is %s ms', (status, retryAfter, expected) => {
    expect(delay({ status, ...(retryAfter && { retryAfter }) })).toBe(expected);
  });
});

describe('followRedirect', () => {
  it('keeps credentials at the same place only', () => {
    expect(followRedirect(['https://a/v2/x'], '/y?z')).toEqual({ url: 'https://a/y?z', isElsewhere: false });
    expect(followRedirect(['https://a/v2/x'], 'https://a:444/y')).toEqual({ url: 'https://a:444/y', isElsewhere: true });
    expect(followRedirect(['http://a/x', 'https://b/x'], 'https://c/#frag')).toEqual({ url: 'https://c/', isElsewhere: true });
  });

  it.each([
    ['no location', ['https://a/'], undefined],
    ['a circle', ['https://a/1', 'https://a/2'], '/1'],
    ['another protocol', ['https://a/1'], 'file:///etc/passwd'],
    ['a way out of TLS', ['https://a/1'], 'http://a/2'],
    ['credentials in the URL', ['https://a/1'], 'https://u:p@a/2'],
    ['the eleventh redirect', Array.from({ length: 11 }, (_, index) => `https://a/${index}`), '/new'],
  ])('refuses %s', (_, visited, location) => expect(followRedirect(visited, location)).toBeUndefined());
});
