import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findKubelets } from './kubelet-processes.js';

let proc: string;
beforeEach(() => {
  proc = mkdtempSync(join(tmpdir(), 'nodeagent-proc-'));
  addProcess('self', { comm: 'node' });
});
afterEach(() => rmSync(proc, { recursive: true }));

const defaults = { cgroupRoot: '/', runtimeEndpoint: 'unix:///run/containerd/containerd.sock', rootDir: '/var/lib/kubelet' };

interface FakeProcess {
  comm: string;
  args?: string[];
  namespace?: string;
  cgroup?: string;
  config?: string;
}

function addProcess(pid: string, { comm, args = [comm], namespace = 'cgroup:[1]', cgroup = '0::/system.slice', config }: FakeProcess) {
  const folder = join(proc, pid);
  mkdirSync(join(folder, 'ns'), { recursive: true });
  mkdirSync(join(folder, 'root/etc'), { recursive: true });
  symlinkSync(namespace, join(folder, 'ns/cgroup'));
  writeFileSync(join(folder, 'comm'), `${comm}\n`);
  writeFileSync(join(folder, 'cmdline'), args.map((arg) => `${arg}\0`).join(''));
  writeFileSync(join(folder, 'cgroup'), `${cgroup}\n`);
  if (config !== undefined) writeFileSync(join(folder, 'root/etc/kubelet.conf'), config);
}

it('reports a kubelet with the defaults of a kubelet', () => {
  addProcess('10', { comm: 'kubelet' });
  addProcess('11', { comm: 'bash', args: ['bash', 'kubelet'] });
  expect(findKubelets(proc)).toEqual([{ pid: 10, ...defaults }]);
});

it.each(['k3s-server', 'k3s-agent', 'kubelite'])('reports %s, which contains a kubelet', (comm) => {
  addProcess('10', { comm });
  expect(findKubelets(proc)).toHaveLength(1);
});

it.each([
  ['flags', ['--cgroup-root=/a/b', '--root-dir', '/var/lib/other', '--container-runtime-endpoint=unix:///x'], undefined],
  [
    'YAML',
    ['--config=/etc/kubelet.conf', '--root-dir=/var/lib/other'],
    'kind: x\ncgroupRoot: "/a/b"\ncontainerRuntimeEndpoint: unix:///x # y\n',
  ],
  ['JSON', ['--config', '/etc/kubelet.conf', '--root-dir=/var/lib/other'], '{"cgroupRoot":"/a/b","containerRuntimeEndpoint": "unix:///x"}'],
  [
    'flags before the configuration',
    ['--config', '/etc/kubelet.conf', '--cgroup-root', '/a/b', '--root-dir=/var/lib/other'],
    'cgroupRoot: /c\ncontainerRuntimeEndpoint: unix:///x',
  ],
])('reads cgroup root, runtime and root directory from %s', (_what, flags, config) => {
  addProcess('10', { comm: 'kubelet', args: ['/usr/bin/kubelet', ...flags], ...(config !== undefined && { config }) });
  expect(findKubelets(proc)).toEqual([{ pid: 10, cgroupRoot: '/a/b', runtimeEndpoint: 'unix:///x', rootDir: '/var/lib/other' }]);
});

it('does not report kubelets of other cgroup namespaces, processes of pods and processes that have exited', () => {
  addProcess('10', { comm: 'kubelet', namespace: 'cgroup:[2]' });
  addProcess('11', { comm: 'kubelet', cgroup: '4:memory:/kubepods/burstable/poda/b' });
  addProcess('12', { comm: 'kubelet', args: [] });
  mkdirSync(join(proc, '13'));
  expect(findKubelets(proc)).toEqual([]);
});

it('finds none where there are no processes to inspect, and not this process', () => {
  expect(findKubelets(join(proc, 'none'))).toEqual([]);
  expect(findKubelets().filter(({ pid }) => pid === process.pid)).toEqual([]);
});
