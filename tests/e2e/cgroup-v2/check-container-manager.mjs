// check-container-manager.mjs: creates the cgroups of a node and its pods by @nodeagent/container-manager, and compares the kernel's files.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createCgroupManager } from '@nodeagent/cgroups';
import { createContainerManager } from '@nodeagent/container-manager';

const root = '/sys/fs/cgroup/manager/kubepods';
const pods = [];
const podWith = (name, resources) => ({ metadata: { name, uid: name }, spec: { containers: [{ name: 'main', resources }] } });
const ample = { cpu: '500m', memory: '64Mi', 'hugepages-2Mi': '4Mi' };
const burstable = (memory, limit) => podWith('burstable', { requests: { cpu: '100m', memory }, limits: { cpu: '200m', memory: limit } });
const manager = createContainerManager({
  cgroups: createCgroupManager(),
  cgroupRoot: ['manager'],
  activePods: () => pods,
  capacity: { cpu: '2', memory: '1Gi', pid: '1000' },
  systemReserved: { memory: '256Mi' },
  nodeName: 'vm',
  podPidsLimit: 50,
  hugePageSizes: ['2MB'],
  memoryReservationPolicy: 'TieredReservation',
});
await manager.start();
pods.push(podWith('guaranteed', { requests: ample, limits: ample }), burstable('32Mi', '128Mi'), podWith('besteffort', {}));
for (const pod of pods) await manager.pods.create(pod);
await manager.updateQosCgroups();

let failures = 0;
const files = ['cpu.weight', 'cpu.max', 'memory.max', 'memory.min', 'memory.low', 'pids.max', 'hugetlb.2MB.max'];
const compare = (path, expected) => {
  const values = files.map((file) => (existsSync(`${root}${path}/${file}`) ? readFileSync(`${root}${path}/${file}`, 'utf8').trim() : '-'));
  const fits = values.join() === expected.join();
  if (!fits) failures++;
  console.log(fits ? 'ok' : 'FAILED', path || '/', values.join(', '), fits ? '' : `instead of ${expected.join(', ')}`);
};
const mib = (amount) => String(amount * 2 ** 20);
const noHugePages = readFileSync('/sys/fs/cgroup/cgroup.controllers', 'utf8').includes('hugetlb') ? '0' : '-';
const unlimitedPages = noHugePages === '0' ? String(2n ** 62n) : '-';
compare('', ['79', 'max 100000', mib(768), mib(64), '0', '1000', noHugePages]);
compare('/burstable', ['4', 'max 100000', 'max', '0', mib(32), 'max', unlimitedPages]);
compare('/besteffort', ['1', 'max 100000', 'max', '0', '0', 'max', unlimitedPages]);
compare('/podguaranteed', ['20', '50000 100000', mib(64), mib(64), '0', '50', noHugePages === '0' ? mib(4) : '-']);
compare('/burstable/podburstable', ['4', '20000 100000', mib(128), '0', mib(32), '50', noHugePages]);
compare('/besteffort/podbesteffort', ['1', 'max 100000', 'max', '0', '0', '50', noHugePages]);

const resized = burstable('64Mi', '256Mi');
for (const bound of ['limit', 'request']) await manager.pods.resize(resized, 'memory', bound);
compare('/burstable/podburstable', ['4', '20000 100000', mib(256), '0', mib(64), '50', noHugePages]);

const child = spawn('/bin/sleep', ['1000']);
writeFileSync(`${root}/burstable/podburstable/cgroup.procs`, String(child.pid));
const ended = once(child, 'exit');
for (const pod of pods) await manager.pods.remove(pod);
const [, signal] = await ended;
const isRemoved = (await manager.pods.list()).size === 0 && signal === 'SIGKILL';
if (!isRemoved) failures++;
console.log(isRemoved ? 'ok' : 'FAILED', 'the cgroups of the pods and the process in one of them are removed');
await manager.stop();
process.exitCode = failures === 0 ? 0 : 1;
