import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanPath, hasBackstep, isPathBelow, isPathWithinBase, relativePath } from './lexical-paths.js';

const path = fc.array(fc.constantFrom('a', 'b', '.', '..', '', '...'), { maxLength: 6 }).map((parts) => parts.join('/'));

describe('lexical paths', () => {
  it('are cleaned as Node normalizes them, without a slash at the end', () => {
    const normalized = (text: string) => posix.normalize(text).replace(/(?<=.)\/$/, '');
    fc.assert(fc.property(path, (text) => cleanPath(text) === normalized(text)));
    expect(['', '/', '/..', '../a/..', 'a//./b/'].map(cleanPath)).toEqual(['.', '/', '/', '..', 'a/b']);
  });

  it('lead from a base to a path', () => {
    expect(relativePath('/a/b', '/a/c/d')).toBe('../c/d');
    expect(relativePath('/a', '/a/')).toBe('.');
    expect([relativePath('/a', 'a'), relativePath('../..', 'a')]).toEqual([undefined, undefined]);
  });

  it('are within a base, or below a folder and written in the shortest way', () => {
    const isWithin = (text: string) => isPathWithinBase(text, '/logs');
    const isBelow = (text: string) => isPathBelow(text, '/logs');
    const paths = [
      '/logs/a/b',
      '/logs',
      '/logs/',
      '/logs/a/',
      '/logs/./a',
      '/logs/a/../b',
      '/logs/..a',
      '/logs/../a',
      '/logsa',
      'logs/a',
      '/',
    ];
    expect(paths.filter(isWithin)).toEqual(['/logs/a/b', '/logs', '/logs/', '/logs/a/', '/logs/./a', '/logs/a/../b', '/logs/..a']);
    expect(paths.filter(isBelow)).toEqual(['/logs/a/b', '/logs/..a']);
    expect([isPathBelow('/a', '/'), isPathBelow('/', '/'), isPathBelow('/logs/a', '/logs/')]).toEqual([true, false, true]);
  });

  it('step back by an element, not by dots in a name', () => {
    expect(['a/../b', '..', 'a/..b', '...'].map(hasBackstep)).toEqual([true, true, false, false]);
  });
});
