import { open } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { withPath } from './with-path.js';

it('names the file in the error of a method of it, once', async () => {
  const file = await open('/dev/full', 'w');
  const error = await file.writeFile('text').catch((reason) => reason);
  await file.close();
  expect(withPath(withPath(error, '/dev/full'), '/other')).toMatchObject({
    code: 'ENOSPC',
    path: '/dev/full',
    message: "ENOSPC: no space left on device, write '/dev/full'",
  });
  const other = new Error('other');
  expect([withPath(other, '/x'), other.message]).toEqual([other, 'other']);
});
