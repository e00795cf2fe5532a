import { expect, it } from 'vitest';
import { textOf } from './request.js';

it('reads a body of any form, up to a length', async () => {
  async function* pieces() {
    for (const piece of ['a', new Uint8Array([0xc3]), new Uint8Array([0xa9])]) yield piece;
  }
  expect(await textOf({ body: 'text' })).toBe('text');
  expect(await textOf({ body: pieces() })).toBe('aé');
  let sent = 0;
  async function* endless() {
    for (;;) {
      sent += 1_000;
      yield 'x'.repeat(1_000);
    }
  }
  await expect(textOf({ body: endless() }, 5_000)).rejects.toThrow('longer than 5000 characters');
  expect(sent).toBe(6_000);
});
