import type { PsiStats } from '@nodeagent/api';
import { encodeUtf8 } from '@nodeagent/api/helpers';
import type { CgroupDetail, CgroupSample, DeviceIo, MemoryLimits } from './cgroup-sample.js';
import { type FileReader, readValue } from './file-reader.js';
import { countLines, type KernelFile, lineValue, numberAt, singleValue, startsWith, textOf, unlimited } from './kernel-file.js';
import { parseCpuV2 } from './parse-cpu.js';
import { type MemoryStat, memorySample, parseMemoryStatV2 } from './parse-memory.js';
import { parsePsi } from './psi.js';

/** The time of a sample, and its parts besides CPU and memory. */
export interface SampleParts extends Pick<CgroupSample, 'time' | 'monotonic'> {
  processes: boolean;
  psi: boolean;
  detail: boolean;
  /** Known limits; if absent, they are read. */
  limits: MemoryLimits | undefined;
}

/** Values of the whole machine that the root cgroup does not provide. */
export interface MachineMemory {
  memoryBytes: bigint;
  swapBytes: bigint;
  swapFreeBytes: bigint;
}

/** Reads a cgroup of version 2 at `path` below `mount`; undefined if it does not exist. `machine` is only passed for the root. */
export function sampleV2(
  files: FileReader,
  mount: string,
  path: string,
  parts: SampleParts,
  machine?: MachineMemory,
): CgroupSample | undefined {
  const { time, monotonic } = parts;
  const cpuFile = files.read(mount, path, 'cpu.stat');
  if (cpuFile === undefined) return undefined;
  const cpu = parseCpuV2(cpuFile, parts.detail);
  const statFile = files.read(mount, path, 'memory.stat');
  const stat = statFile && parseMemoryStatV2(statFile, parts.detail);
  return {
    time,
    monotonic,
    hasCpu: true,
    cpu,
    hasMemory: stat !== undefined,
    memory: stat && memory(files, mount, path, stat, parts.limits, machine),
    processes: parts.processes ? countProcesses(files, mount, path) : undefined,
    psi: parts.psi ? pressure(files, mount, path) : undefined,
    detail: parts.detail ? detail(files, mount, path) : undefined,
  };
}

function memory(
  files: FileReader,
  mount: string,
  path: string,
  stat: MemoryStat,
  limits: MemoryLimits | undefined,
  machine?: MachineMemory,
) {
  if (machine !== undefined) return memorySample(sum(stat.rssBytes, stat.cacheBytes), stat, machineLimits(machine));
  const usage = readValue(files, mount, path, 'memory.current');
  return memorySample(usage, stat, swapAndLimits(files, mount, path, limits));
}

/** Number of processes in the cgroup, without its descendants. */
export function countProcesses(files: FileReader, mount: string | undefined, path: string): number | undefined {
  const list = files.read(mount, path, 'cgroup.procs', true);
  return list && countLines(list);
}

function pressure(files: FileReader, mount: string, path: string): CgroupSample['psi'] {
  return {
    cpu: psi(files, mount, path, 'cpu.pressure'),
    memory: psi(files, mount, path, 'memory.pressure'),
    io: psi(files, mount, path, 'io.pressure'),
  };
}

function psi(files: FileReader, mount: string, path: string, name: string): PsiStats | undefined {
  const file = files.read(mount, path, name);
  return file && parsePsi(file);
}

const sum = (a: bigint | undefined, b: bigint | undefined) => (a === undefined || b === undefined ? undefined : a + b);

/** Without swap accounting there are no swap files; containers then use no swap and have no swap limit. */
function swapAndLimits(files: FileReader, mount: string, path: string, known: MemoryLimits | undefined) {
  const swap = files.read(mount, path, 'memory.swap.current');
  const swapBytes = swap === undefined ? 0n : singleValue(swap);
  const { limitBytes, swapLimitBytes } = known ?? readLimits(files, mount, path);
  return { limitBytes, swapLimitBytes, swapBytes };
}

function readLimits(files: FileReader, mount: string, path: string): MemoryLimits {
  const swapLimit = files.read(mount, path, 'memory.swap.max');
  const swapLimitBytes = swapLimit === undefined ? 0n : (singleValue(swapLimit) ?? unlimited);
  return { limitBytes: readValue(files, mount, path, 'memory.max') ?? unlimited, swapLimitBytes };
}

export function machineLimits({ memoryBytes, swapBytes, swapFreeBytes }: MachineMemory) {
  return { limitBytes: memoryBytes, swapBytes: swapBytes - swapFreeBytes, swapLimitBytes: swapBytes };
}

const oomKill = encodeUtf8('oom_kill ');
const maxWord = encodeUtf8('max ');

function detail(files: FileReader, mount: string, path: string): CgroupDetail {
  const weight = readValue(files, mount, path, 'cpu.weight');
  const cpuMax = files.read(mount, path, 'cpu.max');
  const isLimited = cpuMax !== undefined && !startsWith(cpuMax, 0, maxWord);
  const quotaMicros = isLimited ? numberAt(cpuMax, 0) : undefined;
  const periodMicros = cpuMax && numberAt(cpuMax, cpuMax.bytes.indexOf(space) + 1);
  const events = files.read(mount, path, 'memory.events');
  const failures = events && lineValue(events, maxWord);
  const oomKills = events && lineValue(events, oomKill);
  const ioFile = files.read(mount, path, 'io.stat', true);
  const io = ioFile && parseIoStat(ioFile);
  return {
    shares: weight === undefined ? undefined : sharesOfWeight(weight),
    quotaMicros,
    periodMicros,
    failures,
    oomKills,
    maxUsageBytes: readValue(files, mount, path, 'memory.peak'),
    reservationBytes: readValue(files, mount, path, 'memory.min'),
    threads: readValue(files, mount, path, 'pids.current'),
    threadsMax: readValue(files, mount, path, 'pids.max'),
    io,
  };
}

const space = 32;
const sharesOfWeight = (weight: bigint) => (weight === 0n ? 0n : 2n + ((weight - 1n) * 262_142n) / 9_999n);

/** Parses `io.stat` of cgroup v2, with a line per device: `8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6`. */
function parseIoStat(file: KernelFile): DeviceIo[] {
  const devices: DeviceIo[] = [];
  for (const line of textOf(file).split('\n').slice(0, -1)) {
    const [device = '', ...fields] = line.split(' ');
    const counts = new Map(fields.map((field) => field.split('=') as [string, string]));
    const count = (key: string) => BigInt(counts.get(key) ?? 0);
    const [major, minor] = device.split(':').map(Number);
    if (major === undefined || minor === undefined || !counts.has('rbytes')) continue;
    devices.push({ major, minor, readBytes: count('rbytes'), writeBytes: count('wbytes'), reads: count('rios'), writes: count('wios') });
  }
  return devices;
}
