import type { CgroupDetail, CpuSample, DeviceIo, MemoryLimits } from './cgroup-sample.js';
import type { CgroupMounts } from './cgroup-version.js';
import { type FileReader, readValue } from './file-reader.js';
import { countLines, encode, lineValue, singleValue, textOf, unlimited } from './kernel-file.js';
import { parseCfsV1, parseCpuAccount } from './parse-cpu.js';
import { memorySample, parseMemoryStatV1 } from './parse-memory.js';
import { type CgroupFigures, type MachineMemory, machineLimits, type SampleParts } from './sample-v2.js';

type Controllers = Extract<CgroupMounts, { version: 1 }>['controllers'];

/** Reads a cgroup of version 1 at `path` below each controller; undefined if it is gone. `machine` is given for the root alone. */
export function sampleV1(
  files: FileReader,
  controllers: Controllers,
  path: string,
  parts: SampleParts,
  machine?: MachineMemory,
): CgroupFigures | undefined {
  const memoryFolder = folderOf(controllers, 'memory', path);
  const accountFolder = folderOf(controllers, 'cpuacct', path);
  const usage = accountFolder === undefined ? undefined : files.read(`${accountFolder}/cpuacct.usage`);
  const usageNanos = usage && singleValue(usage);
  const stat = memoryFolder === undefined ? undefined : files.read(`${memoryFolder}/memory.stat`);
  const parsed = stat && parseMemoryStatV1(stat);
  if (usage === undefined && stat === undefined) return undefined;
  const figures: CgroupFigures = { hasCpu: usage !== undefined, hasMemory: parsed !== undefined };
  if (usageNanos !== undefined) figures.cpu = { usageNanos, ...cpuTimes(files, controllers, path) };
  if (parsed !== undefined) {
    const limited = machine === undefined ? (parts.limits ?? readLimits(files, `${memoryFolder}`)) : machineLimits(machine);
    const swapBytes = parsed.swapBytes ?? 0n;
    figures.memory = memorySample(readValue(files, `${memoryFolder}/memory.usage_in_bytes`), parsed, { ...limited, swapBytes });
  }
  if (parts.processes) {
    const list = files.read(`${memoryFolder ?? accountFolder}/cgroup.procs`, true);
    if (list !== undefined) figures.processes = countLines(list);
  }
  if (parts.detail) figures.detail = detail(files, controllers, path);
  return figures;
}

function folderOf(controllers: Controllers, controller: string, path: string): string | undefined {
  const mount = controllers[controller];
  return mount && (path === '/' ? mount : `${mount}${path}`);
}

function cpuTimes(files: FileReader, controllers: Controllers, path: string): Omit<CpuSample, 'usageNanos'> {
  const times = files.read(`${folderOf(controllers, 'cpuacct', path)}/cpuacct.stat`);
  const parsed = times && parseCpuAccount(times);
  const cfs = files.read(`${folderOf(controllers, 'cpu', path)}/cpu.stat`);
  return { ...parsed, ...(cfs && { cfs: parseCfsV1(cfs) }) };
}

/** Without swap accounting there is no file for its limit: none may be used. */
function readLimits(files: FileReader, folder: string): MemoryLimits {
  const swapLimit = files.read(`${folder}/memory.memsw.limit_in_bytes`);
  const swapLimitBytes = swapLimit === undefined ? 0n : (singleValue(swapLimit) ?? unlimited);
  return { limitBytes: readValue(files, `${folder}/memory.limit_in_bytes`) ?? unlimited, swapLimitBytes };
}

const oomKill = encode('oom_kill ');

function detail(files: FileReader, controllers: Controllers, path: string): CgroupDetail {
  const cpuFolder = folderOf(controllers, 'cpu', path);
  const memory = folderOf(controllers, 'memory', path);
  const pids = folderOf(controllers, 'pids', path);
  const blkio = folderOf(controllers, 'blkio', path);
  const oom = files.read(`${memory}/memory.oom_control`);
  const oomKills = oom && lineValue(oom, oomKill);
  return {
    shares: readValue(files, `${cpuFolder}/cpu.shares`),
    // Without a quota the file says -1, which is no number here.
    quotaMicros: readValue(files, `${cpuFolder}/cpu.cfs_quota_us`),
    periodMicros: readValue(files, `${cpuFolder}/cpu.cfs_period_us`),
    maxUsageBytes: readValue(files, `${memory}/memory.max_usage_in_bytes`),
    failures: readValue(files, `${memory}/memory.failcnt`),
    oomKills,
    reservationBytes: readValue(files, `${memory}/memory.soft_limit_in_bytes`),
    threads: readValue(files, `${pids}/pids.current`),
    threadsMax: readValue(files, `${pids}/pids.max`),
    io: blkio === undefined ? undefined : deviceIo(files, blkio),
  };
}

/** Lines `8:0 Read 4096` of the two files that count bytes and operations. */
function deviceIo(files: FileReader, folder: string): DeviceIo[] {
  const devices = new Map<string, DeviceIo>();
  const count = (name: string, keys: { Read: 'readBytes' | 'reads'; Write: 'writeBytes' | 'writes' }) => {
    const file = files.read(`${folder}/${name}`, true);
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
