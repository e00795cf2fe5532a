import { expect, it } from 'vitest';
import { parseKeys } from './key.js';

it.each<[string, string[], string]>([
  ['ab', ['a', 'b'], ''],
  ['\x1b[A\x1b[B\x1bOA', ['up', 'down', 'up'], ''],
  ['\x1b[5~\x1b[6~\x1b[H\x1b[4~', ['pageUp', 'pageDown', 'home', 'end'], ''],
  ['\r\n\x7f\x03', ['enter', 'enter', 'backspace', 'interrupt'], ''],
  ['é', ['é'], ''],
  // A function key and a control character without a meaning here.
  ['\x1b[15~\x01q', ['q'], ''],
  // Alt-x: two keys.
  ['\x1bx', ['escape', 'x'], ''],
  ['a\x1b', ['a'], '\x1b'],
  ['\x1b[', [], '\x1b['],
  ['\x1b[5', [], '\x1b[5'],
  ['\x1b\x1b', ['escape'], '\x1b'],
])('reads the keys of %j', (text, keys, rest) => {
  expect(parseKeys(text)).toEqual({ keys, rest });
});
