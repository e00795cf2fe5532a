import type { Pod, VolumeSpec } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { createMemoryCsiPlugin } from './memory-plugin.js';

const { signal } = new AbortController();
const pod: Pod = { metadata: { name: 'web', namespace: 'shop', uid: 'u1' }, spec: { containers: [] } };
const plugin = createMemoryCsiPlugin({ rootDir: '/agent' });
const mount = async (spec: VolumeSpec) => {
  const volume = await plugin.mounter(spec, pod);
  await volume.setUp({ isRemount: false, reconstructed: false, signal });
  return volume;
};

it('has the path of an inline volume as on a node, and calls no driver', async () => {
  const spec = { volume: { name: 'v', csi: { driver: 'd.example.com' } }, readOnly: false };
  expect(plugin.canSupport(spec)).toBe(true);
  expect((await mount(spec)).path).toBe('/agent/pods/u1/volumes/kubernetes.io~csi/v/mount');
  await (await plugin.unmounter('v', 'u1')).tearDown(signal);
});

it("has the driver in a persistent volume's unique name, and the volume's name in paths", async () => {
  const spec = { persistentVolume: { metadata: { name: 'pv' }, spec: { csi: { driver: 'd', volumeHandle: 'h' } } }, readOnly: true };
  const { path, attributes } = await mount(spec);
  expect([plugin.volumeName(spec), path, attributes.readOnly]).toEqual(['d^h', '/agent/pods/u1/volumes/kubernetes.io~csi/pv/mount', true]);
});
