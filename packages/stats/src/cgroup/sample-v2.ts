import type { CgroupDetail, CgroupSample, DeviceIo, MemoryLimits } from './cgroup-sample.js';
import { type FileReader, readValue } from './file-reader.js';
import { countLines, encode, type KernelFile, lineValue, numberAt, singleValue, startsWith, textOf, unlimited } from './kernel-file.js';
import { parseCpuV2 } from './parse-cpu.js';
import { memorySample, parseMemoryStatV2 } from './parse-memory.js';
import { parsePsi } from './psi.js';

/** What a sample is to have beside CPU and memory. */
export interface SampleParts {
  processes: boolean;
  psi: boolean;
  detail: boolean;
  /** Known ones; absent: they are to be read. */
  limits: MemoryLimits | undefined;
}

/** The whole machine, in the place of what the root cgroup does not tell. */
export interface MachineMemory {
  memoryBytes: bigint;
  swapBytes: bigint;
  swapFreeBytes: bigint;
}

/** Figures of one cgroup, by whoever reads its files; the times are the caller's. */
export type CgroupFigures = Omit<CgroupSample, 'time' | 'monotonic'>;

/** Reads a cgroup of version 2 in `folder`; undefined if it is gone. `machine` is given for the root alone. */
export function sampleV2(files: FileReader, folder: string, parts: SampleParts, machine?: MachineMemory): CgroupFigures | undefined {
  const cpuFile = files.read(`${folder}/cpu.stat`);
  if (cpuFile === undefined) return undefined;
  const figures: CgroupFigures = { hasCpu: true, cpu: parseCpuV2(cpuFile), hasMemory: false };
  const statFile = files.read(`${folder}/memory.stat`);
  if (statFile !== undefined) {
    figures.hasMemory = true;
    const stat = parseMemoryStatV2(statFile);
    const { rssBytes, cacheBytes } = stat;
    const usage = machine === undefined ? readValue(files, `${folder}/memory.current`) : sum(rssBytes, cacheBytes);
    figures.memory = memorySample(usage, stat, machine === undefined ? swapAndLimits(files, folder, parts.limits) : machineLimits(machine));
  }
  if (parts.processes) {
    const list = files.read(`${folder}/cgroup.procs`, true);
    if (list !== undefined) figures.processes = countLines(list);
  }
  if (parts.psi) {
    figures.psi = {
      cpu: psi(files, `${folder}/cpu.pressure`),
      memory: psi(files, `${folder}/memory.pressure`),
      io: psi(files, `${folder}/io.pressure`),
    };
  }
  if (parts.detail) figures.detail = detail(files, folder);
  return figures;
}

const psi = (files: FileReader, path: string) => {
  const file = files.read(path);
  return file && parsePsi(file);
};
const sum = (a: bigint | undefined, b: bigint | undefined) => (a === undefined || b === undefined ? undefined : a + b);

/** A node without swap accounting has no files for it: its containers use none and may use none. */
function swapAndLimits(files: FileReader, folder: string, known: MemoryLimits | undefined) {
  const swap = files.read(`${folder}/memory.swap.current`);
  const swapBytes = swap === undefined ? 0n : singleValue(swap);
  return { ...(known ?? readLimits(files, folder)), swapBytes };
}

function readLimits(files: FileReader, folder: string): MemoryLimits {
  const swapLimit = files.read(`${folder}/memory.swap.max`);
  const swapLimitBytes = swapLimit === undefined ? 0n : (singleValue(swapLimit) ?? unlimited);
  return { limitBytes: readValue(files, `${folder}/memory.max`) ?? unlimited, swapLimitBytes };
}

export function machineLimits({ memoryBytes, swapBytes, swapFreeBytes }: MachineMemory) {
  return { limitBytes: memoryBytes, swapBytes: swapBytes - swapFreeBytes, swapLimitBytes: swapBytes };
}

const oomKill = encode('oom_kill ');
const maxWord = encode('max ');

function detail(files: FileReader, folder: string): CgroupDetail {
  const weight = readValue(files, `${folder}/cpu.weight`);
  const cpuMax = files.read(`${folder}/cpu.max`);
  const isLimited = cpuMax !== undefined && !startsWith(cpuMax, 0, maxWord);
  const quotaMicros = isLimited ? numberAt(cpuMax, 0) : undefined;
  const periodMicros = cpuMax && numberAt(cpuMax, cpuMax.bytes.indexOf(space) + 1);
  const events = files.read(`${folder}/memory.events`);
  const failures = events && lineValue(events, maxWord);
  const oomKills = events && lineValue(events, oomKill);
  const ioFile = files.read(`${folder}/io.stat`, true);
  const io = ioFile && parseIoStat(ioFile);
  return {
    shares: weight === undefined ? undefined : sharesOfWeight(weight),
    quotaMicros,
    periodMicros,
    failures,
    oomKills,
    maxUsageBytes: readValue(files, `${folder}/memory.peak`),
    reservationBytes: readValue(files, `${folder}/memory.min`),
    threads: readValue(files, `${folder}/pids.current`),
    threadsMax: readValue(files, `${folder}/pids.max`),
    io,
  };
}

const space = 32;
const sharesOfWeight = (weight: bigint) => (weight === 0n ? 0n : 2n + ((weight - 1n) * 262_142n) / 9_999n);

/** `io.stat` of cgroup v2: a line a device, `8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6`. Rare enough to be made text of. */
export function parseIoStat(file: KernelFile): DeviceIo[] {
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
