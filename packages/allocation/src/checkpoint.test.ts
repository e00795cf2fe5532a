import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fnv1a32 } from '@nodeagent/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileAllocationStore } from './allocation-store.js';
import { type Allocations, decodeCheckpoint, encodeCheckpoint } from './checkpoint.js';

const allocations: Allocations = {
  u1: { containers: { c: { requests: { cpu: '100m' }, limits: { cpu: '200m' } }, d: {} }, pod: { limits: { memory: '1Gi' } } },
  u2: { containers: {} },
};

describe('the checkpoint file of a kubelet', () => {
  const data = '{"entries":{"pod1":{"ContainerResources":{"container1":{"requests":{"cpu":"1Ki","memory":"1Ki"}}}}}}';

  it('is read, and has the same checksum', () => {
    expect(decodeCheckpoint(JSON.stringify({ data, checksum: 1178570812 }))).toEqual({
      pod1: { containers: { container1: { requests: { cpu: '1Ki', memory: '1Ki' } } } },
    });
    expect(() => decodeCheckpoint(JSON.stringify({ data, checksum: 1178570813 }))).toThrow('the checksum does not match');
  });

  it('contains the written allocations', () => {
    expect(decodeCheckpoint(encodeCheckpoint(allocations))).toEqual(allocations);
    const { data: written } = JSON.parse(encodeCheckpoint({ u: { containers: { c: {} } } })) as { data: string };
    expect(written).toBe('{"entries":{"u":{"ContainerResources":{"c":{}},"PodLevelResources":null}}}');
  });

  it.each([
    ['[]', '"data" is not a string'],
    ['{"data":3}', '"data" is not a string'],
    [sealed('[]'), '"entries" is not an object'],
    [sealed('{"entries":{"u":3}}'), 'entry u is not an object'],
    [sealed('{"entries":{"u":{"ContainerResources":[]}}}'), 'ContainerResources of u is not an object'],
    [sealed('{"entries":{"u":{"ContainerResources":{"c":3}}}}'), 'resources of u are not an object'],
    [sealed('{"entries":{"u":{"ContainerResources":{"c":{"limits":[]}}}}}'), 'amounts of u are not an object'],
    [sealed('{"entries":{"u":{"ContainerResources":{"c":{"limits":{"cpu":1}}}}}}'), 'cpu of u is not a quantity'],
    [sealed('{"entries":{"u":{"ContainerResources":{"c":{"limits":{"cpu":"much"}}}}}}'), 'quantities must match'],
  ])('is refused when it is %s', (text, problem) => {
    expect(() => decodeCheckpoint(text)).toThrow(problem);
  });
});

/** A file with this data and the checksum that belongs to it. */
function sealed(data: string): string {
  return JSON.stringify({ data, checksum: fnv1a32(`(string)${data}`) });
}

describe('the store', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'allocation-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('returns the saved allocations, from a file with mode 0600', async () => {
    const path = join(folder, 'root', 'allocated_pods_state');
    const store = createFileAllocationStore(path);
    expect(await store.load()).toBeUndefined();
    await store.save({ u9: { containers: {} } });
    await store.save(allocations);
    expect(await createFileAllocationStore(path).load()).toEqual(allocations);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(existsSync(`${path}.tmp`)).toBe(false);
  });

  it('renames a corrupt file and reports it', async () => {
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

  it('distinguishes an unreadable file from a missing one', async () => {
    await expect(createFileAllocationStore(folder).load()).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
