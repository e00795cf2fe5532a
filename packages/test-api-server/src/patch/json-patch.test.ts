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
    ['adds what it does not find to replace', { a: 1 }, [{ op: 'replace', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['takes an absent value for null', { a: 1 }, [{ op: 'add', path: '/a' }], { a: null }],
    ['ignores what precedes the first slash', {}, [{ op: 'add', path: 'x/a', value: 1 }], { a: 1 }],
    ['changes nothing as null', { a: 1 }, null, { a: 1 }],
    [
      'copies by value',
      { a: { b: 1 } },
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'replace', path: '/a/b', value: 2 },
        { op: 'replace', path: '/c/b', value: 3 },
      ],
      { a: { b: 2 }, c: { b: 3 } },
    ],
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
    ['a replacement in a parent that is not there', [{ op: 'replace', path: '/b/c', value: 1 }]],
    ['a parent that is not there', [{ op: 'add', path: '/b/c', value: 1 }]],
    ['an index beyond the list', [{ op: 'add', path: '/l/3', value: 1 }]],
    ['an index with a leading zero', [{ op: 'remove', path: '/l/01' }]],
    ['an unknown operation', [{ op: 'merge', path: '/a' }]],
    ['a pointer without a slash', [{ op: 'remove', path: 'a' }]],
    ['a move into itself', [{ op: 'move', from: '/o', path: '/o/p' }]],
    ['a test without a value', [{ op: 'test', path: '/a' }]],
    ['copies that double the document', Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '/o', path: `/o/x${index}` }))],
    ['an operation that is null', [null]],
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

  it('takes 10,000 operations of a large document, and no more', () => {
    const document = { data: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 'v'])) };
    const patch = (count: number) => Array.from({ length: count }, (_, index) => ({ op: 'add', path: `/data/k${index}`, value: index }));
    const started = process.cpuUsage().user;
    expect(jsonPatch(document, patch(10_000))).toMatchObject({ data: { k0: 0, k9999: 9999 } });
    expect(process.cpuUsage().user - started).toBeLessThan(1_000_000);
    expect(document.data.k0).toBe('v');
    expect(refusal(() => jsonPatch(document, patch(10_001)))).toMatchObject({
      code: 413,
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });
});
