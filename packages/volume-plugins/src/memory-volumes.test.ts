import type { Pod, Volume, VolumeSpec } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { createMemoryVolumes } from './memory-volumes.js';

const { signal } = new AbortController();
const once = { isRemount: false, reconstructed: false, signal };
const pod: Pod = { metadata: { name: 'web', namespace: 'shop', uid: 'u1' }, spec: { containers: [] } };
const forgotten: string[] = [];
const { plugins, prepareSubPath } = createMemoryVolumes({
  rootDir: '/agent',
  sources: { nodeAllocatable: () => ({}), getSecret: async (_, name) => (name === 'login' ? { data: {} } : undefined) },
  tokens: { deleteServiceAccountToken: (uid) => void forgotten.push(uid) },
  specName: (_, volume) => (volume === 'data' ? 'pv' : undefined),
});
const mount = async (spec: VolumeSpec) => {
  const [plugin, ...others] = plugins.filter((each) => each.canSupport(spec));
  if (plugin === undefined || others.length > 0) throw new Error('not one plugin');
  const volume = await plugin.mounter(spec, pod);
  await volume.setUp(once);
  return { plugin, volume };
};

it.each<[string, Omit<Volume, 'name'>, string]>([
  ['emptyDir', { emptyDir: { medium: 'Memory' } }, '/agent/pods/u1/volumes/kubernetes.io~empty-dir/v'],
  ['hostPath', { hostPath: { path: '/not/there', type: 'Directory' } }, '/not/there'],
  ['secret', { secret: { secretName: 'login' } }, '/agent/pods/u1/volumes/kubernetes.io~secret/v'],
  ['nfs', { nfs: { server: 's', path: '/p' } }, '/agent/pods/u1/volumes/kubernetes.io~nfs/v'],
  ['image', { image: { reference: 'tools:1' } }, ''],
])('%s has the path of a real node, without reads or mounts', async (_, source, path) => {
  const { volume, plugin } = await mount({ volume: { name: 'v', ...source }, readOnly: false });
  expect(volume.path).toBe(path);
  await (await plugin.unmounter('v', 'u1')).tearDown(signal);
});

it('fails for missing objects as on a node', async () => {
  const spec = { volume: { name: 'v', secret: { secretName: 'other' } }, readOnly: false };
  await expect(mount(spec)).rejects.toThrow('secret "other" not found');
});

it('names a subPath of a persistent volume after that volume', async () => {
  const spec = { persistentVolume: { metadata: { name: 'pv' }, spec: { nfs: { server: 's', path: '/p' } } }, readOnly: true };
  const { volume } = await mount(spec);
  expect([volume.path, volume.attributes.readOnly]).toEqual(['/agent/pods/u1/volumes/kubernetes.io~nfs/pv', true]);
  const request = { pod, container: { name: 'c' }, mountIndex: 3, volumePath: volume.path, subPath: 'x' };
  expect(await prepareSubPath({ ...request, mount: { name: 'data', mountPath: '/m' } })).toBe('/agent/pods/u1/volume-subpaths/pv/c/3');
});

it("deletes the pod's tokens when it tears down a projected volume", async () => {
  const { plugin } = await mount({ volume: { name: 'v', projected: { sources: [] } }, readOnly: false });
  await (await plugin.unmounter('v', 'u1')).tearDown(signal);
  expect(forgotten).toEqual(['u1']);
});

it('keeps content in the given files: updates replace it, a subPath keeps what it was made of, tearing down removes it', async () => {
  const log: unknown[] = [];
  const files = {
    replaceContent: (folder: string, content: ReadonlyMap<string, Uint8Array>) => void log.push([folder, ...content.keys()]),
    bind: (path: string, target: string) => void log.push(['bind', path, target]),
    remove: (path: string) => void log.push(['remove', path]),
  };
  const secret = { data: { a: Buffer.from('1').toString('base64') } };
  const volumes = createMemoryVolumes({ rootDir: '/agent', files, sources: { getSecret: async () => secret } });
  const spec: VolumeSpec = { volume: { name: 'v', secret: { secretName: 's', defaultMode: 420 } }, readOnly: false };
  const plugin = volumes.plugins.find((each) => each.canSupport(spec));
  const volume = await plugin?.mounter(spec, pod);
  await volume?.setUp(once);
  const mountOf = { name: 'v', mountPath: '/m' };
  const request = { pod, container: { name: 'c' }, mount: mountOf, mountIndex: 0, volumePath: '/agent/v', subPath: 'a' };
  await volumes.prepareSubPath(request);
  await volumes.node.cleanSubPaths('u1', 'v', signal);
  await (await plugin?.unmounter('v', 'u1'))?.tearDown(signal);
  const path = '/agent/pods/u1/volumes/kubernetes.io~secret/v';
  const subPath = '/agent/pods/u1/volume-subpaths/v';
  expect(log).toEqual([
    [path, 'a'],
    ['bind', '/agent/v/a', `${subPath}/c/0`],
    ['remove', subPath],
    ['remove', path],
  ]);
});
