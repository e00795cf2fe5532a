import { describe, expect, it } from 'vitest';
import { createLineSplitter, parseWatchEvent } from './watch-lines.js';

describe('a line splitter', () => {
  it('returns the same lines however the stream is split', () => {
    const lines = ['{"a":"ä"}', '{"b":"世界"}', '{"c":1}'];
    const bytes = Buffer.from(`${lines.join('\n')}\n\n{"cut`);
    for (let size = 1; size <= bytes.length; size++) {
      const splitter = createLineSplitter();
      const found: string[] = [];
      for (let at = 0; at < bytes.length; at += size) found.push(...splitter.push(bytes.subarray(at, at + size)));
      expect(found).toEqual(lines);
    }
  });

  it('rejects a line that is too long', () => {
    const splitter = createLineSplitter();
    const piece = new Uint8Array(4 * 1024 * 1024).fill(120);
    for (let count = 0; count < 4; count++) expect(splitter.push(piece)).toEqual([]);
    expect(() => splitter.push(piece)).toThrow(expect.objectContaining({ code: 'ResponseTooLarge' }));
  });
});

it.each(['', '{', '[]', '{"type":1,"object":{}}', '{"type":"ADDED"}', '{"type":"ADDED","object":[]}'])('%s is not an event', (line) => {
  expect(parseWatchEvent(line)).toBeUndefined();
});
