import { expect, it } from 'vitest';
import { wrapText } from './wrap-text.js';

it.each<[string, number, string[]]>([
  ['', 5, ['']],
  ['short', 5, ['short']],
  ['two words', 5, ['two', 'words']],
  ['a b c d', 3, ['a b', 'c d']],
  ['longest word', 4, ['long', 'est', 'word']],
  ['    indented', 6, ['    in', 'dented']],
  ['ab', 0, ['a', 'b']],
  ['名前 は日本', 5, ['名前', 'は日', '本']],
  ['a👩‍👩‍👧‍👦b', 2, ['a', '👩‍👩‍👧‍👦', 'b']],
  ['a名b', 1, ['a', ' ', 'b']],
])('wraps %j at %i', (text, width, lines) => {
  expect(wrapText(text, width)).toEqual(lines);
});
