import { stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { unlessAbsent } from './unless-absent.js';

it('resolves to what is there, and to undefined for what is not', async () => {
  expect((await unlessAbsent(stat('/dev/null')))?.isFile()).toBe(false);
  expect(await unlessAbsent(stat('/no/such/file'))).toBeUndefined();
  expect(await unlessAbsent(stat('/dev/null/file'))).toBeUndefined();
});

it('rejects with other errors', async () => {
  await expect(unlessAbsent(stat('x'.repeat(300)))).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
});
