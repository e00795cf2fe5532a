import { imageStoreErrorCodes } from '@nodeagent/image-store';
import { type LayerEntry, layerEntry, layerPath } from '@nodeagent/image-store/decisions';
import fc from 'fast-check';
import { decodeFileName, encodeFileName } from '../../../packages/image-store/src/layers/file-name.js';
import { base64Field, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { promise, promiseSame, resultUnless } from '../promises.js';
import { fuzzTarget } from '../target.js';

const part = fc.constantFrom(
  '.wh.',
  '.wh..wh.',
  '.wh..wh..opq',
  '.opq',
  '.',
  '..',
  '/',
  '/',
  'a',
  'wh.',
  'plnk',
  '\0',
  ' ',
  '\ud83d\ude00',
  'n'.repeat(250),
);
const names = fc.array(part, { maxLength: 8 }).map((parts) => Buffer.from(parts.join('')));

/** By patterns of the whole name; the package compares its elements. */
function expectedEntry(path: string): LayerEntry | 'refused' {
  if (/(^|\/)\.wh\.\.wh\.[^/]*\//.test(path)) return { kind: 'ignored' };
  if (/(^|\/)\.wh\.[^/]*\//.test(path)) return 'refused';
  const [, folder = '', last = ''] = /^(?:(.*)\/)?([^/]*)$/s.exec(path) ?? [];
  const hidden = /^\.wh\.(.*)$/s.exec(last)?.[1];
  if (hidden === undefined) return { kind: 'file', path };
  if (hidden === '.wh..opq') return { kind: 'opaque', path: folder };
  if (hidden.startsWith('.wh.')) return { kind: 'ignored' };
  if (/^\.{0,2}$/.test(hidden)) return 'refused';
  return { kind: 'whiteout', path: folder === '' ? hidden : `${folder}/${hidden}` };
}

export const whiteouts = fuzzTarget({
  name: 'whiteouts',
  promise:
    'the bytes of a name stay as they are, and the name is that of a file, a whiteout or an opaque folder within its layer, or UnsafeLayer',
  runs: 5_000,
  inputs: fc.record({ name: fc.oneof(names, mutatedBytes(names)).map(toBase64) }),
  content: base64Field('name'),
  async check(input) {
    const bytes = Buffer.from(input.name, 'base64');
    const name = decodeFileName(bytes);
    promiseSame(encodeFileName(name).toString('hex'), bytes.toString('hex'), 'the bytes of the name');
    const codes = [imageStoreErrorCodes.unsafeLayer];
    const path = await resultUnless(codes, 'layerPath', () => layerPath(name));
    const entry = await resultUnless(codes, 'layerEntry', () => layerEntry(name));
    if (path === undefined) return promiseSame(entry, undefined, 'the entry of a refused name');
    promise(path === '' || path.split('/').every((element) => !['', '.', '..'].includes(element)), `the path ${path}`);
    promiseSame(entry ?? 'refused', expectedEntry(path), `the entry of ${JSON.stringify(path)}`);
  },
});
