import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileSystemUsage } from './file-system-usage.js';

it('reports the capacity of the file system', async () => {
  const usage = await fileSystemUsage(tmpdir());
  expect(usage.capacityBytes).toBeGreaterThan(usage.availableBytes);
  expect(usage.usedBytes).toBeLessThanOrEqual(usage.capacityBytes);
  expect(usage.inodesUsed).toBe(usage.inodes - usage.inodesFree);
});

it('rejects for a missing path', async () => {
  await expect(fileSystemUsage(join(tmpdir(), 'absent', 'folder'))).rejects.toThrow('ENOENT');
});
