import { posix } from 'node:path';
import fc from 'fast-check';
import { it } from 'vitest';
import { basename, dirname, isAbsolute, join, normalize } from './paths.js';

const path = fc.array(fc.constantFrom('a', 'bc', '.', '..', '', '...', ' ', '\u00e4'), { maxLength: 7 }).map((parts) => parts.join('/'));

it.each([
  ['isAbsolute', isAbsolute, posix.isAbsolute],
  ['normalize', normalize, posix.normalize],
  ['dirname', dirname, posix.dirname],
  ['basename', basename, (path: string) => posix.basename(path)],
])('%s agrees with Node', (_name, ours, ofNode) => {
  fc.assert(
    fc.property(path, (text) => ours(text) === ofNode(text)),
    { numRuns: 2_000 },
  );
});

it('join agrees with Node', () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 4 }), (paths) => join(...paths) === posix.join(...paths)),
    { numRuns: 2_000 },
  );
});
