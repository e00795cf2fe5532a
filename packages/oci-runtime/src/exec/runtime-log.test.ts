import { describe, expect, it } from 'vitest';
import { readRuntimeLog, restOfTerminal } from './runtime-log.js';

/** As crun writes it. */
function pieces(text: string, size: number): Buffer {
  const count = Math.ceil(text.length / size);
  return Buffer.from(Array.from({ length: count }, (_, index) => `${text.slice(index * size, (index + 1) * size)}\n`).join(''));
}

describe('the end of the output of a terminal', () => {
  it.each([1, 2, 3, 7, 100, 255])('is put together from the pieces of %i characters in the log of crun', (size) => {
    const text = 'line\r\n\r\nä'.repeat(100);
    expect(restOfTerminal(pieces(text, size)).toString()).toBe(text);
  });

  it('is not in the log of runc, and not in a missing one', () => {
    expect(restOfTerminal(Buffer.from('time="2026-01-01T10:00:00Z" level=warning msg="no"\n'))).toHaveLength(0);
    expect(restOfTerminal(readRuntimeLog('/no/such/log'))).toHaveLength(0);
  });
});
