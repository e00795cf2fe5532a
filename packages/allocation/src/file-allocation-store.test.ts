import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileAllocationStore } from './file-allocation-store.js';
import type { Allocations } from './pod-allocation.js';

const allocations: Allocations = {
  u1: { containers: { c: { requests: { cpu: '100m' }, limits: { cpu: '200m' } }, d: {} }, pod: { limits: { memory: '1Gi' } } },
  u2: { containers: {} },
};

describe('the store', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'allocation-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('gives back what was saved, in a file that only its owner can read', async () => {
    const path = join(folder, 'root', 'allocated_pods_state');
    const store = createFileAllocationStore(path);
    expect(await store.load()).toBeUndefined();
    await store.save({ u9: { containers: {} } });
    await store.save(allocations);
    expect(await createFileAllocationStore(path).load()).toEqual(allocations);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(existsSync(`${path}.tmp`)).toBe(false);
  });

  it('renames a damaged file and rejects', async () => {
    const path = join(folder, 'allocated_pods_state');
    writeFileSync(path, '{"data":"{');
    const store = createFileAllocationStore(path);
    await expect(store.load()).rejects.toMatchObject({
      code: 'InvalidAllocationCheckpoint',
      message: expect.stringContaining(`renamed to ${path}.broken`),
      details: { path, setAside: `${path}.broken` },
    });
    expect(readFileSync(`${path}.broken`, 'utf8')).toBe('{"data":"{');
    expect(await store.load()).toBeUndefined();
  });

  it('does not take a file that cannot be read for none', async () => {
    await expect(createFileAllocationStore(folder).load()).rejects.toMatchObject({ code: 'NotRegularFile' });
  });
});
