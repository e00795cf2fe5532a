import { describe, expect, it } from 'vitest';
import { linearRegex } from './regex.js';
import { RegexSyntaxError } from './regex-syntax.js';

describe('regular expressions in the syntax of RE2', () => {
  it.each([
    ['^[a-z]+$', 'abc', true],
    ['^[a-z]+$', 'abC', false],
    ['(?i)^abc$', 'ABC', true],
    ['^(?:a|bc)*d$', 'abcabcd', true],
    ['a{2,3}$', 'ba', false],
    ['^a{2,3}?$', 'aaa', true],
    ['\\d{4}-\\d\\d', 'in 2024-05', true],
    ['^[^\\s/]+$', 'a b', false],
    ['^\\S+$', 'äö', true],
    ['\\bfoo\\b', 'a foo b', true],
    ['\\Aa\\z', 'a', true],
    ['^[[:alpha:]_-]+$', 'ab_-', true],
    ['^\\p{Lu}\\pL*$', 'Äb', true],
    ['^\\p{Greek}+$', 'αβ', true],
    ['(?s)a.b', 'a\nb', true],
    ['a.b', 'a\nb', false],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^\\Q.*\\E$', '.*', true],
    ['^(?P<year>\\d+)$', '12', true],
    ['^[\\x41\\x{1F600}]+$', 'A😀', true],
    ['^[a\\-z\\]]+$', 'a-z]', true],
    ['', 'x', true],
    ['^(a?){20}a{20}$', 'a'.repeat(20), true],
  ])('%s on %s: %s', (pattern, text, matches) => expect(linearRegex(pattern).test(text)).toBe(matches));

  it.each(['(?=a)', '(?!a)', '\\1', 'a**', '(', ')', '[b-a]', 'a{1001}', '*a', '[a', '\\', '(?<!a)b', '\\p{Nothing}', '[[:nothing:]]'])(
    'refuse %s',
    (pattern) => expect(() => linearRegex(pattern)).toThrow(RegexSyntaxError),
  );

  it('find matches from left to right, the preferred one at each place', () => {
    expect(linearRegex('a|ab').findAll('abab')).toEqual(['a', 'a']);
    expect(linearRegex('[0-9]+').findAll('1 23 456', 2)).toEqual(['1', '23']);
    expect(linearRegex('a+?').findAll('aaa')).toEqual(['a', 'a', 'a']);
    expect(linearRegex('x*').findAll('axb')).toEqual(['', 'x', '']);
  });

  it('take time linear in the text', () => {
    const text = `${'a'.repeat(20_000)}!`;
    expect(linearRegex('^(a+)+$').test(text)).toBe(false);
    expect(linearRegex('^(a|a)*$').test(text)).toBe(false);
    expect(() => linearRegex('((a{1000}){1000}){1000}')).toThrow('expression too large');
  });
});
