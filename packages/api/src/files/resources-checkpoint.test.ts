import { describe, expect, it } from 'vitest';
import { fnv1a32 } from '../helpers/fnv.js';
import { decodeResourcesCheckpoint, encodeResourcesCheckpoint, type ResourcesCheckpoint } from './resources-checkpoint.js';

const resources: ResourcesCheckpoint = {
  u1: { containers: { c: { requests: { cpu: '100m' }, limits: { cpu: '200m' } }, d: {} }, pod: { limits: { memory: '1Gi' } } },
  u2: { containers: {} },
};

describe('the file of a kubelet', () => {
  const data = '{"entries":{"pod1":{"ContainerResources":{"container1":{"requests":{"cpu":"1Ki","memory":"1Ki"}}}}}}';

  it('is understood, with the checksum that a kubelet gives it', () => {
    expect(decodeResourcesCheckpoint(JSON.stringify({ data, checksum: 1178570812 }))).toEqual({
      pod1: { containers: { container1: { requests: { cpu: '1Ki', memory: '1Ki' } } } },
    });
    expect(() => decodeResourcesCheckpoint(JSON.stringify({ data, checksum: 1178570813 }))).toThrow('the checksum does not match');
  });

  it('has what was written into it', () => {
    expect(decodeResourcesCheckpoint(encodeResourcesCheckpoint(resources))).toEqual(resources);
    const { data: written } = JSON.parse(encodeResourcesCheckpoint({ u: { containers: { c: {} } } })) as { data: string };
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
    expect(() => decodeResourcesCheckpoint(text)).toThrow(problem);
  });
});

/** A file with this data and the checksum that belongs to it. */
function sealed(data: string): string {
  return JSON.stringify({ data, checksum: fnv1a32(`(string)${data}`) });
}
