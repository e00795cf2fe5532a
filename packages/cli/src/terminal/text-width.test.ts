import { expect, it } from 'vitest';
import { endOfText, padEnd, padStart, startOfText, textWidth } from './text-width.js';

const family = '👩‍👩‍👧‍👦';
const samples: [string, number][] = [
  ['', 0],
  ['default/web · 2 pods … naïve', 28],
  ['名前', 4],
  ['ｶﾞ半角', 6],
  ['ＡＢ', 4],
  ['한국어', 6],
  ['\u1112\u1161\u11ab', 2],
  ['e\u0301', 1],
  ['שלום', 4],
  ['हिन्दी', 4],
  ['กำ', 2],
  ['🚀', 2],
  ['☀ ☀\ufe0f', 4],
  ['1\ufe0f\u20e3', 2],
  ['👍🏽', 2],
  ['☝🏽', 2],
  ['🇯🇵🇩🇪', 4],
  [family, 2],
  ['❤\u200d🔥', 2],
  ['\u200d\ufe0f', 0],
  ['𠮷', 2],
  ['\ud800', 1],
];

it.each(samples)('measures %j as %i cells', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

it.each(samples)('cuts %j at each width into whole graphemes, as many as fit', (text, width) => {
  const graphemes = Array.from(new Intl.Segmenter('en').segment(text), ({ segment }) => segment);
  const cuts = Array.from({ length: graphemes.length + 1 }, (_, count) => count);
  for (let room = 0; room <= width; room++) {
    const starts = cuts.map((count) => graphemes.slice(0, count).join('')).filter((start) => textWidth(start) <= room);
    const ends = cuts.map((count) => graphemes.slice(count).join('')).filter((end) => textWidth(end) <= room);
    expect(startOfText(text, room)).toBe(starts.at(-1));
    expect(endOfText(text, room)).toBe(ends[0]);
  }
});

it('leaves spaces where a wide character does not fit', () => {
  expect(padEnd(startOfText('名前', 3), 3)).toBe('名 ');
  expect(padStart(startOfText('名前', 3), 3)).toBe(' 名');
});

it('bounds the marks on a character', () => {
  expect(startOfText(`a${'\u0301'.repeat(10_000)}`, 1).length).toBeLessThan(50);
});
