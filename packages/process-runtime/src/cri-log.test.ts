import { describe, expect, it } from 'vitest';
import { createLineSplitter, formatLogPieces } from './cri-log.js';

const texts = (pieces: { partial: boolean; text: Uint8Array }[]) =>
  pieces.map(({ partial, text }) => `${partial ? 'P' : 'F'} ${Buffer.from(text).toString('latin1')}`);

describe('createLineSplitter', () => {
  it('returns complete lines, however the chunks are cut', () => {
    const splitter = createLineSplitter();
    expect(texts(splitter.push(Buffer.from('a\n\nb')))).toEqual(['F a', 'F ']);
    expect(texts(splitter.push(Buffer.from('c')))).toEqual([]);
    expect(texts(splitter.push(Buffer.from('d\n')))).toEqual(['F bcd']);
    expect(texts(splitter.end())).toEqual([]);
  });

  it('marks a line without a line end as partial', () => {
    const splitter = createLineSplitter();
    splitter.push(Buffer.from('prompt> '));
    expect(texts(splitter.end())).toEqual(['P prompt> ']);
  });

  it('splits lines over the limit, but not one of exactly the limit', () => {
    const splitter = createLineSplitter(4);
    expect(texts(splitter.push(Buffer.from('abcd\nabcde\nabcdefghi\n')))).toEqual(['F abcd', 'P abcd', 'F e', 'P abcd', 'P efgh', 'F i']);
    expect(texts(splitter.push(Buffer.from('abcdefgh')))).toEqual(['P abcd']);
    expect(texts(splitter.push(Buffer.from('\n')))).toEqual(['F efgh']);
  });

  it('keeps all bytes, however the chunks are cut', () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    let state = seed;
    const random = (below: number) => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
      return (state >>> 8) % below;
    };
    for (let round = 0; round < 200; round++) {
      const input = Buffer.from(Array.from({ length: random(300) }, () => (random(6) === 0 ? 10 : random(256))));
      const splitter = createLineSplitter(1 + random(20));
      const output: Uint8Array[] = [];
      const add = (pieces: ReturnType<typeof splitter.push>) => {
        for (const { partial, text } of pieces) output.push(text, Buffer.from(partial ? '' : '\n'));
      };
      for (let start = 0; start < input.length; ) {
        const end = start + 1 + random(50);
        add(splitter.push(input.subarray(start, end)));
        start = end;
      }
      add(splitter.end());
      expect(Buffer.concat(output).equals(input), `seed ${seed}`).toBe(true);
    }
  });

  it('copies a short rest instead of retaining its chunk', () => {
    const splitter = createLineSplitter();
    splitter.push(Buffer.concat([Buffer.alloc(1 << 20, 10), Buffer.from('end')]));
    expect(splitter.end()[0]?.text.buffer.byteLength).toBeLessThan(1 << 20);
  });
});

describe('formatLogPieces', () => {
  it('writes the CRI log format with unchanged bytes', () => {
    const pieces = [
      { partial: false, text: Buffer.from([0, 255, 13]) },
      { partial: true, text: Buffer.from('x') },
    ];
    expect(formatLogPieces(pieces, 'stderr', Date.UTC(2026, 0, 2, 3, 4, 5, 67)).toString('latin1')).toBe(
      '2026-01-02T03:04:05.067000000Z stderr F \0\xff\r\n2026-01-02T03:04:05.067000000Z stderr P x\n',
    );
  });
});
