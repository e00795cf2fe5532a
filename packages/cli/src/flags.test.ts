import { describe, expect, it } from 'vitest';
import { describeFlags, type Flag, readArguments, readFlags } from './flags.js';

const flags: Flag[] = [
  { name: 'manifests', value: 'PATH', default: '/m', help: 'where the pods are.' },
  { name: 'verbose', help: 'says more.' },
];

describe('readFlags', () => {
  it('fills in defaults', () => {
    expect(readFlags(flags, [])).toEqual({ manifests: '/m', verbose: undefined });
  });
  it('takes both spellings of a value', () => {
    expect(readFlags(flags, ['--manifests=/x', '--verbose'])).toEqual({ manifests: '/x', verbose: true });
    expect(readFlags(flags, ['--manifests', '/y']).manifests).toBe('/y');
  });
  it.each([
    [['--manifest', '/x'], 'unknown flag --manifest; did you mean --manifests?'],
    [['--nothing-like-it'], 'unknown flag --nothing-like-it'],
    [['stray'], 'unexpected argument "stray"'],
  ])('%j: %s', (args, message) => {
    expect(() => readFlags(flags, args)).toThrow(expect.objectContaining({ code: 'BAD_USAGE', message }));
  });
});

it('takes words beside the flags, as many as allowed', () => {
  expect(readArguments(flags, ['web', '--verbose'], 1)).toEqual({ values: { manifests: '/m', verbose: true }, words: ['web'] });
  expect(readArguments(flags, [], 1).words).toEqual([]);
  expect(() => readArguments(flags, ['web', 'db'], 1)).toThrow(
    expect.objectContaining({ code: 'BAD_USAGE', message: 'unexpected argument "db"' }),
  );
});

it('describes every flag with its default', () => {
  expect(describeFlags(flags)).toBe('  --manifests PATH  where the pods are. (default: /m)\n  --verbose         says more.');
});
