import { expect, it } from 'vitest';
import { stableDigest } from './digest.js';
import { parseText } from './parse-text.js';

it('reads YAML as Kubernetes does: octal modes, old truth values, but no times of day', async () => {
  const [document] = await parseText('mode: 0644\non: yes\nat: 12:30\nday: 2026-01-01\nbig: 1_000\nmerged:\n  <<: {a: 1}\n  b: 2\n');
  expect(document?.value).toEqual({ mode: 0o644, true: true, at: '12:30', day: '2026-01-01', big: 1000, merged: { a: 1, b: 2 } });
});

it('reads JSON with a space before it, and does not take YAML in braces for it', async () => {
  expect(await parseText('\n {"a": 1}')).toEqual([{ document: 1, value: { a: 1 }, warnings: [] }]);
  expect((await parseText('{a: 1}'))[0]?.problem?.problem).toMatch(/^not valid JSON: /);
});

it.each([
  ['absurd nesting', '[ '.repeat(20_000), 'nested deeper than the limit of 200 levels'],
  ['many aliases', `a: &a 1\nb:\n${'- *a\n'.repeat(20_000)}`, 'more than the limit of 1000 aliases'],
  ['a large text', `a: "${'x'.repeat(2 ** 20)}"`, 'larger than the limit of 1048576 bytes for YAML'],
])('refuses YAML with %s, naming the limit', async (_, text, problem) => {
  expect(await parseText(text)).toEqual([
    { document: 1, warnings: [], problem: { field: '', problem, hint: 'split the file, or write it as JSON' } },
  ]);
});

it('reads JSON that is larger than YAML may be', async () => {
  const value = Object.fromEntries(Array.from({ length: 120_000 }, (_, index) => [`key${index}`, 'v']));
  expect((await parseText(JSON.stringify(value)))[0]?.value).toEqual(value);
});

it('names the lines of keys that occur twice', async () => {
  expect(await parseText('a: 1\nb: 1\na: 2\n')).toEqual([
    { document: 1, value: { a: 2, b: 1 }, warnings: ['line 3: the key occurs twice, the last one counts'] },
  ]);
});

it('digests values by their content, not by the order of their keys', () => {
  const digest = stableDigest({ a: [1, { b: 2, c: undefined }], d: 'x' }, 'host:n');
  expect(digest).toMatch(/^[0-9a-f]{32}$/);
  expect(stableDigest({ d: 'x', a: [1, { b: 2 }] }, 'host:n')).toBe(digest);
  expect(stableDigest({ d: 'x', a: [1, { b: 2 }] }, 'host:m')).not.toBe(digest);
  expect(stableDigest({ d: 'x', a: [{ b: 2 }, 1] }, 'host:n')).not.toBe(digest);
});
