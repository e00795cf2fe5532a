import type { PersistentVolumeSpec } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { accessModeProblem, affinityProblem, mountOptionsProblem } from './mount-checks.js';

const volume = (spec: PersistentVolumeSpec, annotations = {}) => ({
  persistentVolume: { metadata: { name: 'pv', annotations }, spec },
  readOnly: false,
});
const onHost = { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'host', operator: 'In', values: ['a'] }] }] } };

describe('a volume is not mounted', () => {
  it('if the node does not match its node affinity', () => {
    const spec = volume({ nodeAffinity: onHost });
    expect(affinityProblem(spec, { metadata: { labels: { host: 'a' } } })).toBeUndefined();
    expect(affinityProblem(spec, { metadata: { labels: { host: 'b' } } })).toBe('no matching NodeSelectorTerms');
    expect(affinityProblem(spec, undefined)).toBe('the Node has not been read yet');
    expect(affinityProblem(volume({}), undefined)).toBeUndefined();
  });

  it('if its plugin does not support its mount options', () => {
    const without = { supportsMountOption: false } as never;
    const problem = 'mount options are not supported for this volume type';
    expect(mountOptionsProblem(volume({ mountOptions: ['ro'] }), without)).toBe(problem);
    expect(mountOptionsProblem(volume({}, { 'volume.beta.kubernetes.io/mount-options': 'ro' }), without)).toBe(problem);
    expect(mountOptionsProblem(volume({ mountOptions: ['ro'] }), { supportsMountOption: true } as never)).toBeUndefined();
    expect(mountOptionsProblem(volume({ mountOptions: [] }), without)).toBeUndefined();
  });

  it('if another pod uses it with ReadWriteOncePod', () => {
    const modes = (...accessModes: string[]) => volume({ accessModes });
    expect(accessModeProblem(modes('ReadWriteOncePod'), true)).toMatch(/already in use by another pod/);
    expect(accessModeProblem(modes('ReadWriteOncePod'), false)).toBeUndefined();
    expect(accessModeProblem(modes('ReadWriteOncePod', 'ReadOnlyMany'), true)).toBeUndefined();
  });
});
