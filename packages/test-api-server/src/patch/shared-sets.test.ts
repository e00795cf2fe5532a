import { expect, it } from 'vitest';
import { encodeFields, noFields, wholeField } from './field-set.js';
import { emptySet } from './shared-sets.js';

it('gives the same set to all that add the same branches', () => {
  const metadata = emptySet('f:').with('labels', wholeField).done(false);
  const build = () => emptySet('f:').with('metadata', metadata).with('spec', wholeField).done(false);
  expect(build()).toBe(build());
  expect(encodeFields(build())).toEqual({ 'f:metadata': { 'f:labels': {} }, 'f:spec': {} });
  expect(emptySet('').with('v:"a"', wholeField).done(true).member).toBe(true);
  expect([...emptySet('').with('v:"a"', wholeField).done(false).children.keys()]).toEqual(['v:"a"']);
  expect(emptySet('f:').done(false)).toEqual(noFields);
});

it('distinguishes sets by the order and the content of their branches', () => {
  const [a, b] = ['a', 'b'].map((name) => emptySet('f:').with(name, wholeField));
  expect(a?.with('b', wholeField).done(true)).not.toBe(b?.with('a', wholeField).done(true));
  expect(a?.with('b', noFields).done(true)).not.toBe(a?.with('b', wholeField).done(true));
});

it('keeps a bounded number of sets', () => {
  const first = emptySet('f:').with('first', wholeField);
  for (let n = 0; n < 20_000; n++) emptySet('f:').with(`name-${n}`, wholeField);
  expect(emptySet('f:').with('first', wholeField)).not.toBe(first);
});
