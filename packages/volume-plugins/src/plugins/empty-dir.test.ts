import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@nodeagent/api';
import { volumePaths } from '@nodeagent/api/helpers';
import { createFakeMounter, createSubPaths } from '@nodeagent/mount-utils';
import { expect, it, onTestFinished } from 'vitest';
import { createPodVolumes } from '../pod-volumes.js';

const fsGroup = process.getgid?.() ?? 0;
const amounts = { 'hugepages-2Mi': '4Mi' };

/** A pod's emptyDir in memory on a node whose mounts have the root modes of the kernel. */
async function mountInMemory(medium: 'Memory' | 'HugePages', securityContext: NonNullable<Pod['spec']>['securityContext']) {
  const rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-emptydir-'));
  onTestFinished(() => rmSync(rootDir, { recursive: true, force: true }));
  const mounter = createFakeMounter();
  const { mount } = mounter;
  mounter.mount = async (request, signal) => {
    await mount(request, signal);
    if (request.fsType === 'tmpfs') chmodSync(request.target, 0o1777);
    if (request.fsType === 'hugetlbfs') chmodSync(request.target, 0o755);
  };
  const pod: Pod = {
    metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
    spec: {
      ...(securityContext && { securityContext }),
      volumes: [{ name: 'fast', emptyDir: { medium } }],
      containers: [{ name: 'c', resources: { requests: amounts, limits: amounts }, volumeMounts: [{ name: 'fast', mountPath: '/fast' }] }],
    },
  };
  const volumes = await createPodVolumes({ rootDir, mounter }).mount(pod);
  const volumePath = volumes.get('fast')?.hostPath ?? '';
  const subPaths = createSubPaths({ mounter, paths: volumePaths(rootDir) });
  const prepare = (subPath: string) =>
    subPaths.prepare({ pod, container: { name: 'c' }, mount: { name: 'fast', mountPath: '/fast' }, mountIndex: 0, volumePath, subPath });
  const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
  return { volumePath, prepare, modeOf, rootDir };
}

it('keeps the sticky bit of a tmpfs, and sets it on a subPath that it creates', async () => {
  const { volumePath, prepare, modeOf } = await mountInMemory('Memory', { fsGroup });
  expect(modeOf(volumePath)).toBe('3777');
  await prepare('new/deep');
  expect([modeOf(join(volumePath, 'new')), modeOf(join(volumePath, 'new/deep'))]).toEqual(['3777', '3777']);
});

it('keeps the mode of a tmpfs in a pod without fsGroup, and of huge pages', async () => {
  const memory = await mountInMemory('Memory', undefined);
  const hugePages = await mountInMemory('HugePages', undefined);
  expect([memory.modeOf(memory.volumePath), hugePages.modeOf(hugePages.volumePath)]).toEqual(['1777', '755']);
});

it('marks a volume as ready by a file that only its owner can write, whatever the umask is', async () => {
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  const { rootDir, modeOf } = await mountInMemory('Memory', undefined);
  expect(modeOf(join(rootDir, 'pods/u1/plugins/kubernetes.io~empty-dir/fast/ready'))).toBe('640');
});
