import { encodeUtf8 } from '@nodeagent/api/helpers';
import type { CgroupDetail, CgroupSample, CpuSample, DeviceIo, MemoryLimits, MemorySample } from './cgroup-sample.js';
import type { CgroupMounts } from './cgroup-version.js';
import { type FileReader, readValue } from './file-reader.js';
import { lineValue, singleValue, textOf, unlimited } from './kernel-file.js';
import { parseCfsV1, parseCpuAccount } from './parse-cpu.js';
import { type MemoryStat, memorySample, parseMemoryStatV1 } from './parse-memory.js';
import { countProcesses, type MachineMemory, machineLimits, type SampleParts } from './sample-v2.js';

type Controllers = Extract<CgroupMounts, { version: 1 }>['controllers'];

/** Reads a cgroup of version 1 at `path` below each controller; undefined if it does not exist. `machine` is only passed for the root. */
export function sampleV1(
  files: FileReader,
  controllers: Controllers,
  path: string,
  parts: SampleParts,
  machine?: MachineMemory,
): CgroupSample | undefined {
  const { time, monotonic } = parts;
  const { memory: memoryMount, cpuacct } = controllers;
  const usage = files.read(cpuacct, path, 'cpuacct.usage');
  const usageNanos = usage && singleValue(usage);
  const statFile = files.read(memoryMount, path, 'memory.stat');
  if (usage === undefined && statFile === undefined) return undefined;
  const stat = statFile && parseMemoryStatV1(statFile);
  return {
    time,
    monotonic,
    hasCpu: usage !== undefined,
    cpu: usageNanos === undefined ? undefined : { usageNanos, ...(parts.detail && cpuTimes(files, controllers, path)) },
    hasMemory: stat !== undefined,
    memory: stat && memory(files, memoryMount, path, stat, parts.limits, machine),
    processes: parts.processes ? countProcesses(files, memoryMount ?? cpuacct, path) : undefined,
    detail: parts.detail ? detail(files, controllers, path) : undefined,
  };
}

function memory(
  files: FileReader,
  mount: string | undefined,
  path: string,
  stat: MemoryStat,
  known: MemoryLimits | undefined,
  machine: MachineMemory | undefined,
): MemorySample | undefined {
  const { limitBytes, swapLimitBytes } = machine === undefined ? (known ?? readLimits(files, mount, path)) : machineLimits(machine);
  const swapBytes = stat.swapBytes ?? 0n;
  return memorySample(readValue(files, mount, path, 'memory.usage_in_bytes'), stat, { limitBytes, swapLimitBytes, swapBytes });
}

function cpuTimes(files: FileReader, controllers: Controllers, path: string): Omit<CpuSample, 'usageNanos'> {
  const times = files.read(controllers.cpuacct, path, 'cpuacct.stat');
  const parsed = times && parseCpuAccount(times);
  const cfs = files.read(controllers.cpu, path, 'cpu.stat');
  return { ...parsed, ...(cfs && { cfs: parseCfsV1(cfs) }) };
}

/** Without swap accounting the file of the limit is missing, and no swap can be used. */
function readLimits(files: FileReader, mount: string | undefined, path: string): MemoryLimits {
  const swapLimit = files.read(mount, path, 'memory.memsw.limit_in_bytes');
  const swapLimitBytes = swapLimit === undefined ? 0n : (singleValue(swapLimit) ?? unlimited);
  return { limitBytes: readValue(files, mount, path, 'memory.limit_in_bytes') ?? unlimited, swapLimitBytes };
}

const oomKill = encodeUtf8('oom_kill ');

function detail(files: FileReader, controllers: Controllers, path: string): CgroupDetail {
  const { cpu, memory, pids, blkio } = controllers;
  const oom = files.read(memory, path, 'memory.oom_control');
  const oomKills = oom && lineValue(oom, oomKill);
  return {
    shares: readValue(files, cpu, path, 'cpu.shares'),
    // Without a quota the file contains -1, which the parser does not accept.
    quotaMicros: readValue(files, cpu, path, 'cpu.cfs_quota_us'),
    periodMicros: readValue(files, cpu, path, 'cpu.cfs_period_us'),
    maxUsageBytes: readValue(files, memory, path, 'memory.max_usage_in_bytes'),
    failures: readValue(files, memory, path, 'memory.failcnt'),
    oomKills,
    reservationBytes: readValue(files, memory, path, 'memory.soft_limit_in_bytes'),
    threads: readValue(files, pids, path, 'pids.current'),
    threadsMax: readValue(files, pids, path, 'pids.max'),
    io: blkio === undefined ? undefined : deviceIo(files, blkio, path),
  };
}

/** Parses lines such as `8:0 Read 4096` of the two files with bytes and operations. */
function deviceIo(files: FileReader, mount: string, path: string): DeviceIo[] {
  const devices = new Map<string, DeviceIo>();
  const count = (name: string, keys: { Read: 'readBytes' | 'reads'; Write: 'writeBytes' | 'writes' }) => {
    const file = files.read(mount, path, name, true);
    if (file === undefined) return;
    for (const line of textOf(file).split('\n').slice(0, -1)) {
      const [device = '', operation, amount] = line.split(' ');
      if (amount === undefined || (operation !== 'Read' && operation !== 'Write')) continue;
      const [major = 0, minor = 0] = device.split(':').map(Number);
      const entry = devices.get(device) ?? { major, minor, readBytes: 0n, writeBytes: 0n, reads: 0n, writes: 0n };
      entry[keys[operation]] += BigInt(amount);
      devices.set(device, entry);
    }
  };
  count('blkio.throttle.io_service_bytes_recursive', { Read: 'readBytes', Write: 'writeBytes' });
  count('blkio.throttle.io_serviced_recursive', { Read: 'reads', Write: 'writes' });
  return [...devices.values()];
}
