import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Pod } from '../objects/pod.js';
import type { Volume } from '../objects/volume.js';
import { type PluginVolumeFacts, type VolumeSourceKind, volumeSources } from '../objects/volume-sources.js';
import { hasClaim, volumeClaimName, volumeDiskUse, volumeReferences } from './volume.js';

const pod: Pod = { metadata: { name: 'web' } };
const volume = (source: object) => ({ name: 'v', ...source }) as Volume;

describe('volumeSources', () => {
  it("has each source of a pod's volume and of a persistent volume", () => {
    expectTypeOf<Exclude<keyof Volume, 'name'>>().toEqualTypeOf<VolumeSourceKind>();
    expectTypeOf<keyof typeof volumeSources>().toEqualTypeOf<VolumeSourceKind | 'local'>();
    expectTypeOf(volumeSources.local).toExtend<PluginVolumeFacts<{ path: string }>>();
  });

  it('has each plugin name once', () => {
    const plugins = Object.values(volumeSources).flatMap((facts) => ('plugin' in facts ? [facts.plugin] : []));
    expect(plugins).toEqual([...new Set(plugins)]);
    for (const name of plugins) expect(name).toMatch(/^kubernetes\.io\/[a-z-]+$/);
  });
});

describe('a volume', () => {
  it.each<[object, string]>([
    [{ emptyDir: {} }, 'pod'],
    [{ emptyDir: { medium: '' } }, 'pod'],
    [{ emptyDir: { medium: 'Memory' } }, 'none'],
    [{ emptyDir: { medium: 'HugePages-2Mi' } }, 'none'],
    [{ configMap: {} }, 'pod'],
    [{ gitRepo: { repository: 'r' } }, 'pod'],
    [{ hostPath: { path: '/x' } }, 'node'],
    [{ secret: {} }, 'none'],
    [{ downwardAPI: {} }, 'none'],
    [{ projected: {} }, 'none'],
    [{ persistentVolumeClaim: { claimName: 'c' } }, 'none'],
    [{ constructor: {}, unknown: {} }, 'none'],
    [{}, 'none'],
  ])('%j fills the disk of: %s', (source, use) => {
    expect(volumeDiskUse(volume(source))).toBe(use);
  });

  it('names the referenced objects and the field', () => {
    const references = (source: object) => volumeReferences(volume(source));
    expect(references({ configMap: { name: 'c' } })).toEqual([{ to: 'configMap', name: 'c', field: 'configMap' }]);
    expect(references({ csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } })).toEqual([
      { to: 'csiDriver', name: 'd', field: 'csi' },
      { to: 'secret', name: 's', field: 'csi.nodePublishSecretRef' },
    ]);
    expect(references({ projected: { sources: [{ downwardAPI: {} }, { secret: { name: 's' } }, { podCertificate: {} }] } })).toEqual([
      { to: 'secret', name: 's', field: 'projected.sources[1].secret' },
      { to: 'podCertificate', field: 'projected.sources[2].podCertificate' },
    ]);
    expect(references({ rbd: { secretRef: { name: 's' } } })).toEqual([{ to: 'secret', name: 's', field: 'rbd.secretRef' }]);
    expect(references({ rbd: {}, hostPath: { path: '/x' } })).toEqual([]);
  });

  it('has the claim that it names, or the one that is created for the pod', () => {
    const claims = [{ persistentVolumeClaim: { claimName: 'data' } }, { ephemeral: {} }, { emptyDir: {} }].map(volume);
    expect(claims.map((each) => volumeClaimName(pod, each))).toEqual(['data', 'web-v', undefined]);
    expect(claims.map(hasClaim)).toEqual([true, true, false]);
  });
});
