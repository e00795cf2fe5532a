import { apiStatusOf } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { jsonPatch } from './json-patch.js';

const refusal = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return apiStatusOf(error);
  }
  return undefined;
};

describe('jsonPatch', () => {
  it.each([
    ['adds a field', { a: 1 }, [{ op: 'add', path: '/b', value: null }], { a: 1, b: null }],
    ['replaces what it adds', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
    ['inserts into a list', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['appends to a list', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['removes a field', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    ['removes an element', { a: [1, 2, 3] }, [{ op: 'remove', path: '/a/1' }], { a: [1, 3] }],
    ['replaces deep inside', { a: [{ b: 1 }] }, [{ op: 'replace', path: '/a/0/b', value: { c: 2 } }], { a: [{ b: { c: 2 } }] }],
    ['moves', { a: { b: 1 }, c: {} }, [{ op: 'move', from: '/a/b', path: '/c/d' }], { a: {}, c: { d: 1 } }],
    ['copies', { a: [1] }, [{ op: 'copy', from: '/a/0', path: '/a/-' }], { a: [1, 1] }],
    ['unescapes pointers', { 'a/b~c': 1 }, [{ op: 'replace', path: '/a~1b~0c', value: 2 }], { 'a/b~c': 2 }],
    ['replaces the document', { a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
    ['treats a missing field as null in a test', { a: 1 }, [{ op: 'test', path: '/b', value: null }], { a: 1 }],
    [
      'applies operations after a successful test',
      { a: { x: 1, y: 2 } },
      [
        { op: 'test', path: '/a', value: { y: 2, x: 1 } },
        { op: 'remove', path: '/a/x' },
      ],
      { a: { y: 2 } },
    ],
  ])('%s', (_, document, patch, expected) => {
    const before = structuredClone(document);
    expect(jsonPatch(document, patch)).toEqual(expected);
    expect(document).toEqual(before);
  });

  it.each([
    ['a failed test', [{ op: 'test', path: '/a', value: 2 }]],
    ['a field that is not there', [{ op: 'remove', path: '/b' }]],
    ['a replacement of nothing', [{ op: 'replace', path: '/b', value: 1 }]],
    ['a parent that is not there', [{ op: 'add', path: '/b/c', value: 1 }]],
    ['an index beyond the list', [{ op: 'add', path: '/l/3', value: 1 }]],
    ['an index with a leading zero', [{ op: 'remove', path: '/l/01' }]],
    ['an unknown operation', [{ op: 'merge', path: '/a' }]],
    ['a pointer without a slash', [{ op: 'remove', path: 'a' }]],
    ['a move into itself', [{ op: 'move', from: '/o', path: '/o/p' }]],
    ['an addition without a value', [{ op: 'add', path: '/b' }]],
  ])('refuses %s', (_, patch) => {
    expect(refusal(() => jsonPatch({ a: 1, l: [1, 2], o: {} }, patch))).toEqual({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
    });
  });

  it('rejects a patch that is not a list of operations', () => {
    expect(refusal(() => jsonPatch({}, { op: 'add' }))).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(refusal(() => jsonPatch({}, ['add']))).toMatchObject({ code: 400, reason: 'BadRequest' });
  });
});
