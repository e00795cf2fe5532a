// check.mjs CONTAINER-ID CGROUP: compares the stats of a cgroup by @nodeagent/stats with the cgroup's files.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { cgroupStats, nanoCores } from '@nodeagent/stats/decisions';
import { createCgroupReader } from '@nodeagent/stats/node';

const [id, expectedPath] = process.argv.slice(2);
const reader = createCgroupReader();
const path = reader.find([id]).containers.get(id);
const folder = `/sys/fs/cgroup${expectedPath}`;
const text = (file) => readFileSync(`${folder}/${file}`, 'utf8');
const line = (file, key) => Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(text(file))[1]);
const filesNow = () => ({
  at: performance.now(),
  cpuNanos: line('cpu.stat', 'usage_usec') * 1000,
  workingSet: Number(text('memory.current')) - line('memory.stat', 'inactive_file'),
});

const [before, filesBefore] = [reader.sample(path), filesNow()];
await sleep(10_000);
const [after, files] = [reader.sample(path, { processes: true, detail: true }), filesNow()];
const measured = {
  nanoCores: Number(nanoCores(after.cpu.usageNanos - before.cpu.usageNanos, (after.monotonic - before.monotonic) * 1e6)),
  workingSet: Number(after.memory.workingSetBytes),
};
const real = {
  nanoCores: Math.round(((files.cpuNanos - filesBefore.cpuNanos) / (files.at - filesBefore.at)) * 1e3),
  workingSet: files.workingSet,
};
const node = cgroupStats(reader.sample('/')).memory;
const isWithin = (one, other, share) => Math.abs(one - other) <= share * other;
const mib = 2 ** 20;
const checks = {
  'cgroup v2': reader.version() === 2,
  'the container is found': path === expectedPath,
  'CPU within 10 % of the files': isWithin(measured.nanoCores, real.nanoCores, 0.1),
  'a fifth of a core': isWithin(real.nanoCores, 0.2e9, 0.25),
  'working set within 5 % of the files': isWithin(measured.workingSet, real.workingSet, 0.05),
  'at least 64 MiB': real.workingSet >= 64 * mib,
  'the limit of 256 MiB': after.memory.limitBytes === BigInt(256 * mib),
  'the quota': after.detail.quotaMicros === 20_000n && after.cpu.cfs.throttledPeriods > 0n,
  'one process': after.processes === 1,
  'the whole machine': node.workingSetBytes > 0n && node.availableBytes > 0n,
};
console.log('measured', JSON.stringify(measured), 'files', JSON.stringify(real), 'pressure', after.psi !== undefined);
for (const [what, holds] of Object.entries(checks)) console.log(holds ? 'ok' : 'FAILED', what);
process.exitCode = Object.values(checks).every(Boolean) ? 0 : 1;
