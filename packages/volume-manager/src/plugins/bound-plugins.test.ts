import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PersistentVolume, Pod } from '@nodeagent/api';
import { expect, it, onTestFinished } from 'vitest';
import { createFakeMounter } from '../mount/fake-mounter.js';
import type { VolumeSpec } from '../plugin/volume-plugin.js';
import { createVolumePlugins } from './create-plugins.js';

const { signal } = new AbortController();
const pod: Pod = { metadata: { name: 'web', namespace: 'shop', uid: 'u1' }, spec: { containers: [] } };
const once = { isRemount: false, reconstructed: false, signal };

function setUp() {
  const rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-bound-'));
  onTestFinished(() => rmSync(rootDir, { recursive: true, force: true }));
  const mounter = createFakeMounter();
  const plugins = createVolumePlugins({ rootDir, mounter });
  const mount = async (spec: VolumeSpec, options = {}) => {
    const plugin = plugins.find((each) => each.canSupport(spec));
    if (plugin === undefined) throw new Error('no plugin');
    const volume = await plugin.mounter(spec, pod);
    await volume.setUp({ ...once, ...options });
    const unmount = async (name: string) => (await plugin.unmounter(name, 'u1')).tearDown(signal);
    return { path: volume.path, plugin, attributes: volume.attributes, unmount };
  };
  return { rootDir, mounter, mount };
}

const persistent = (source: PersistentVolume['spec']): PersistentVolume => ({ metadata: { name: 'pv' }, spec: source });

it.each([
  ['192.0.2.7', '-t nfs 192.0.2.7:/export'],
  ['2001:db8::7', '-t nfs [2001:db8::7]:/export'],
])('nfs is mounted from %s by mount(8), once, and unmounted without touching its files', async (server, args) => {
  const { mounter, mount, rootDir } = setUp();
  const spec = { volume: { name: 'share', nfs: { server, path: '/export' } }, readOnly: false };
  const { path, attributes, unmount } = await mount(spec, { fsGroup: 2000 });
  await mount(spec);
  expect(path).toBe(join(rootDir, 'pods/u1/volumes/kubernetes.io~nfs/share'));
  expect(attributes).toEqual({ readOnly: false, managed: false, seLinuxRelabel: false });
  await unmount('share');
  expect(mounter.calls).toEqual([`mount ${args} ${path}`, `unmount ${path}`]);
  expect(existsSync(path)).toBe(false);
});

it("a persistent nfs volume has its own mount options, and ro where the volume or the claim's source is read-only", async () => {
  const { mounter, mount } = setUp();
  const nfs = { server: 'files', path: '/export', readOnly: true };
  const { path } = await mount({ persistentVolume: persistent({ nfs, mountOptions: ['nfsvers=4.1', 'hard'] }), readOnly: false });
  expect(mounter.calls).toHaveLength(1);
  const [call = ''] = mounter.calls;
  expect(call).toMatch(/^mount -t nfs -o [\w.,=]+ files:\/export /);
  expect(call.split(' ')[4]?.split(',').sort()).toEqual(['hard', 'nfsvers=4.1', 'ro']);
  expect(call.endsWith(path)).toBe(true);
});

it('a local folder is bound; what cannot be mounted leaves nothing', async () => {
  const { mounter, mount, rootDir } = setUp();
  const source = join(rootDir, 'disk');
  mkdirSync(source);
  const spec = { persistentVolume: persistent({ local: { path: source } }), readOnly: true };
  mounter.fail = () => new Error('mount failed: exit status 32');
  await expect(mount(spec)).rejects.toThrow('exit status 32');
  const path = join(rootDir, 'pods/u1/volumes/kubernetes.io~local-volume/pv');
  expect(existsSync(path)).toBe(false);
  mounter.fail = undefined;
  const { plugin } = await mount(spec);
  expect(mounter.calls.at(-1)).toBe(`mount -o bind,ro ${source} ${path}`);
  expect(await plugin.deviceMountable?.canDeviceMount(spec)).toBe(false);
});
