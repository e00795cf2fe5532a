import { expect, it } from 'vitest';
import { jsonPath } from './json-path.js';

const object = {
  spec: {
    a: [
      { n: 'x', v: 1 },
      { n: 'y', v: 2 },
    ],
    'dotted.name': 'd',
    tags: ['a', 'b'],
  },
  metadata: { annotations: { 'example.com/a': 'b' } },
};

it.each([
  ['.spec.a[0].n', ['x']],
  ['.spec.a[-1].n', ['y']],
  ['.spec.a[*].v', [1, 2]],
  ['.spec.a[?(@.n=="y")].v', [2]],
  [".spec.a[?(@.n == 'y')].v", [2]],
  ['.spec.a[?(@.v==1)].n', ['x']],
  ['.spec.a[?(@.n!="y")].v', [1]],
  ['.spec.a[?(@.missing)].v', []],
  ['.spec.dotted\\.name', ['d']],
  [".spec['dotted.name']", ['d']],
  ['.metadata.annotations.example\\.com/a', ['b']],
  ['.spec.a[0:1].v', [1]],
  ['.spec.a[1:].v', [2]],
  ['.spec.a[:-1].v', [1]],
  ['.spec.a[::2].v', [1]],
  ['.spec.a.*.v', [1, 2]],
  ['.spec.a[?(@.v>1)].n', ['y']],
  ['.spec.a[?(@.v >= 1)].n', ['x', 'y']],
  ['.spec.a[?(@.v<2)].n', ['x']],
  ['.spec.a[?(@.v<=2)].n', ['x', 'y']],
  ['.spec.a[?(@.v=="1")].n', []],
  ['.spec.tags[?(@=="b")]', ['b']],
  ['.spec.missing.n', []],
  ['.constructor', []],
  ['not a path', []],
])('finds %s', (path, expected) => {
  expect(jsonPath(path)([object])).toEqual(expected);
});
