import { describe, expect, it } from 'vitest';
import { describeFlags, type Flag, helpFlag, readArguments, readFlags, wantsHelp } from './flags.js';

const flags: Flag[] = [
  { name: 'manifests', value: 'PATH', default: '/m', help: 'where the pods are.' },
  { name: 'verbose', help: 'logs more.' },
];

describe('readFlags', () => {
  it('fills in defaults', () => {
    expect(readFlags(flags, [])).toEqual({ manifests: '/m', verbose: undefined });
  });
  it('accepts both spellings of a value', () => {
    expect(readFlags(flags, ['--manifests=/x', '--verbose'])).toEqual({ manifests: '/x', verbose: true });
    expect(readFlags(flags, ['--manifests', '/y']).manifests).toBe('/y');
  });
  it.each([
    [['--manifest', '/x'], 'unknown flag --manifest; did you mean --manifests?'],
    [['--nothing-like-it'], 'unknown flag --nothing-like-it'],
    [['stray'], 'unexpected argument "stray"'],
    [['-x'], 'unknown flag -x'],
    [['--manifests'], '--manifests: a value is required'],
    [['--manifests', '--verbose'], '--manifests: a value is required before --verbose'],
    [['--verbose=maybe'], '--verbose: "maybe" is not true or false'],
    [['--no-verbose'], 'unknown flag --no-verbose'],
  ])('%j: %s', (args, message) => {
    expect(() => readFlags(flags, args)).toThrow(expect.objectContaining({ code: 'BAD_USAGE', message }));
  });
});

it('accepts true or false for a switch, and a value with a leading dash after "="', () => {
  expect(readFlags(flags, ['--verbose=true']).verbose).toBe(true);
  expect(readFlags(flags, ['--verbose', '--verbose=false']).verbose).toBe(false);
  expect(readFlags(flags, ['--manifests=-1']).manifests).toBe('-1');
});

it.each([
  [['--help'], true],
  [['-h'], true],
  [['--unknown', '-h'], true],
  [['pod', '--', '-h'], false],
  [['--manifests', 'h'], false],
])('wantsHelp(%j): %s', (args, wants) => {
  expect(wantsHelp([...flags, helpFlag], args)).toBe(wants);
});

it('accepts up to maxWords positional arguments', () => {
  expect(readArguments(flags, ['web', '--verbose'], 1)).toEqual({ values: { manifests: '/m', verbose: true }, words: ['web'] });
  expect(readArguments(flags, [], 1).words).toEqual([]);
  expect(() => readArguments(flags, ['web', 'db'], 1)).toThrow(
    expect.objectContaining({ code: 'BAD_USAGE', message: 'unexpected argument "db"' }),
  );
});

it('describes every flag with its default', () => {
  expect(describeFlags(flags)).toBe('  --manifests PATH  where the pods are. (default: /m)\n  --verbose         logs more.');
});
