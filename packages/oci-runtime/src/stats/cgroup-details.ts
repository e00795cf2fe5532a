import { blockDevice } from './block-devices.js';
import { cgroupFiles, numberIn, present, type ReadCgroupFile, valuesOf } from './cgroup-files.js';

/** What only metrics report of a cgroup. Values that the kernel does not have are absent. */
export interface CgroupDetails {
  /** Periods of the CPU quota. */
  periods?: bigint;
  throttledPeriods?: bigint;
  throttledNanos?: bigint;
  maxMemoryBytes?: bigint;
  kernelMemoryBytes?: bigint;
  /** How often the memory limit was hit. */
  memoryFailures?: bigint;
  /** 0 without a reservation. */
  memoryReservationBytes?: bigint;
  oomKills?: bigint;
  threads?: bigint;
  /** 0 without a limit. */
  maxThreads?: bigint;
  devices: readonly DeviceUsage[];
}

/** Operations on a block device, by their names in cgroup v1: `Read`, `Write`, `Discard` and others. */
interface DeviceUsage {
  /** Empty for an unknown one. */
  device: string;
  major: string;
  minor: string;
  bytes: ReadonlyMap<string, bigint>;
  operations: ReadonlyMap<string, bigint>;
}

/** cgroup v1 reports the largest number of pages for no limit. */
const noLimit = 1n << 62n;
const nanosPerMicro = 1000n;

/**
 * Reads further values of a cgroup, without the processes in it. cgroup-v2.rst; memory.rst, blkio-controller.rst and pids.rst of cgroup v1.
 *
 * @param path - from the root of the hierarchy, with a leading `/`
 */
export function readCgroupDetails(path: string, version: 1 | 2, { cgroups = '/sys/fs/cgroup', sys = '/sys' } = {}): CgroupDetails {
  const read = cgroupFiles(path, version, cgroups);
  const maxThreads = read('pids', 'pids.max');
  return present({
    ...throttling(valuesOf(read('cpu', 'cpu.stat') ?? '')),
    ...(version === 1 ? memoryDetailsV1(read) : memoryDetailsV2(read)),
    threads: numberIn(read('pids', 'pids.current')),
    maxThreads: maxThreads === undefined ? undefined : (numberIn(maxThreads) ?? 0n),
    devices: (version === 1 ? devicesV1(read) : devicesV2(read('io', 'io.stat') ?? '')).map((usage) => ({
      ...usage,
      device: blockDevice(usage.major, usage.minor, sys),
    })),
  });
}

/** The same file in both versions, but for the unit of the time. */
function throttling(stat: ReadonlyMap<string, bigint>) {
  const micros = stat.get('throttled_usec');
  return {
    periods: stat.get('nr_periods'),
    throttledPeriods: stat.get('nr_throttled'),
    throttledNanos: micros === undefined ? stat.get('throttled_time') : micros * nanosPerMicro,
  };
}

function memoryDetailsV1(read: ReadCgroupFile) {
  const value = (name: string) => numberIn(read('memory', `memory.${name}`));
  return {
    maxMemoryBytes: value('max_usage_in_bytes'),
    kernelMemoryBytes: value('kmem.usage_in_bytes'),
    memoryFailures: value('failcnt'),
    memoryReservationBytes: limitOrZero(value('soft_limit_in_bytes')),
    oomKills: valuesOf(read('memory', 'memory.oom_control') ?? '').get('oom_kill'),
  };
}

function memoryDetailsV2(read: ReadCgroupFile) {
  const events = valuesOf(read('memory', 'memory.events') ?? '');
  return {
    maxMemoryBytes: numberIn(read('memory', 'memory.peak')),
    kernelMemoryBytes: valuesOf(read('memory', 'memory.stat') ?? '').get('kernel'),
    memoryFailures: events.get('max'),
    memoryReservationBytes: limitOrZero(numberIn(read('memory', 'memory.low'))),
    oomKills: events.get('oom_kill'),
  };
}

const limitOrZero = (limit: bigint | undefined) => (limit !== undefined && limit >= noLimit ? 0n : limit);

/** Lines such as `8:0 Read 4096`, and without a device the total of all. */
function devicesV1(read: ReadCgroupFile): Omit<DeviceUsage, 'device'>[] {
  const parse = (name: string) =>
    [...(read('blkio', name) ?? '').matchAll(/^(\d+:\d+) (\w+) (\d+)$/gm)].map(
      ([, device = '', operation = '', value = '0']) => [device, operation, BigInt(value)] as const,
    );
  const bytes = parse('blkio.throttle.io_service_bytes_recursive');
  const operations = parse('blkio.throttle.io_serviced_recursive');
  const of = (device: string, lines: typeof bytes) =>
    new Map(lines.flatMap(([each, name, value]) => (each === device ? [[name, value]] : [])));
  const devices = [...new Set([...bytes, ...operations].map(([device]) => device))];
  return devices.map((device) => ({ ...numbersOf(device), bytes: of(device, bytes), operations: of(device, operations) }));
}

const keysV2 = [
  ['Read', 'r'],
  ['Write', 'w'],
  ['Discard', 'd'],
] as const;

/** Lines such as `8:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0`. */
function devicesV2(text: string): Omit<DeviceUsage, 'device'>[] {
  return [...text.matchAll(/^(\d+:\d+) (.*)$/gm)].map(([, device = '', rest = '']) => {
    const values = valuesOf(rest.replaceAll(' ', '\n').replaceAll('=', ' '));
    const of = (suffix: 'bytes' | 'ios') => new Map(keysV2.flatMap(([name, key]) => entry(name, values.get(`${key}${suffix}`))));
    return { ...numbersOf(device), bytes: of('bytes'), operations: of('ios') };
  });
}

const entry = (name: string, value: bigint | undefined) => (value === undefined ? [] : [[name, value] as const]);

function numbersOf(device: string): Pick<DeviceUsage, 'major' | 'minor'> {
  const [major = '', minor = ''] = device.split(':');
  return { major, minor };
}
