import type { InterfaceStats } from '@nodeagent/api';
import { latin1 } from '@nodeagent/api/helpers';
import type { FileReader } from './file-reader.js';
import { type KernelFile, keyedValues, keysOf, nextLine, numberAt, singleValue, skipSpaces, textOf } from './kernel-file.js';
import type { MachineMemory } from './sample-v2.js';

const memoryLines = ['MemTotal', 'SwapTotal', 'SwapFree'].map((name) => new RegExp(`^${name}: +(\\d+) kB$`, 'm'));

/** The Summary API's counters, and received, sent and dropped packets. */
export interface InterfaceCounters extends Required<InterfaceStats> {
  rxPackets: bigint;
  rxDropped: bigint;
  txPackets: bigint;
  txDropped: bigint;
}

/** Parses `/proc/meminfo`; undefined without the total memory. */
export function parseMeminfo(file: KernelFile): MachineMemory | undefined {
  const text = textOf(file);
  const [memoryBytes, swapBytes = 0n, swapFreeBytes = 0n] = memoryLines.map((line) => kibibytes(line.exec(text)?.[1]));
  return memoryBytes === undefined ? undefined : { memoryBytes, swapBytes, swapFreeBytes };
}

const kibibytes = (digits: string | undefined) => (digits === undefined ? undefined : BigInt(digits) * 1024n);

const ignored = /^(lo$|veth|docker|nerdctl)/;
const colon = 58;
/** Number of counters in a line. */
const counters = 16;
const numbers: bigint[] = [];

/** Parses `/proc/<pid>/net/dev`, without the loopback device and interfaces of container networks (`veth*`, `docker*`, `nerdctl*`). */
export function parseNetDev(file: KernelFile): InterfaceCounters[] {
  const interfaces: InterfaceCounters[] = [];
  let line = nextLine(file, nextLine(file, 0));
  for (; line < file.length; line = nextLine(file, line)) {
    const start = skipSpaces(file, line);
    const end = file.bytes.indexOf(colon, start);
    if (end === -1 || end >= file.length) break;
    const name = latin1(file.bytes.subarray(start, end));
    if (ignored.test(name)) continue;
    let count = 0;
    for (let at = skipSpaces(file, end + 1); count < counters; count++) {
      const value = numberAt(file, at);
      if (value === undefined) break;
      numbers[count] = value;
      at = skipSpaces(file, endOfNumber(file, at));
    }
    if (count < counters) break;
    const [
      rxBytes = 0n,
      rxPackets = 0n,
      rxErrors = 0n,
      rxDropped = 0n,
      ,
      ,
      ,
      ,
      txBytes = 0n,
      txPackets = 0n,
      txErrors = 0n,
      txDropped = 0n,
    ] = numbers;
    interfaces.push({ name, rxBytes, rxPackets, rxErrors, rxDropped, txBytes, txPackets, txErrors, txDropped });
  }
  return interfaces;
}

function endOfNumber({ bytes, length }: KernelFile, offset: number): number {
  let end = offset;
  while (end < length && (bytes[end] ?? 0) > 32) end++;
  return end;
}

/** The current number of threads: after the `/` in the fourth field of `/proc/loadavg`. */
export function parseLoadavg(file: KernelFile): bigint | undefined {
  const found = /^\S+ \S+ \S+ \d+\/(\d+) /.exec(textOf(file));
  return found === null ? undefined : BigInt(found[1] ?? 0);
}

const bootTimeKey = keysOf('btime');

/** Boot time in seconds since 1970, from `/proc/stat`. */
export function parseBootTime(file: KernelFile): bigint | undefined {
  const values: (bigint | undefined)[] = [];
  keyedValues(file, bootTimeKey, values);
  return values[0];
}

/** Names of block devices by `major:minor`, from `/proc/diskstats`. */
export function parseDiskNames(file: KernelFile): Map<string, string> {
  const lines = textOf(file).split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [major, minor, name] = line.trim().split(/ +/);
      return name === undefined ? [] : [[`${major}:${minor}`, name] as const];
    }),
  );
}

/** The maximum number of processes, threads included: the minimum of the machine's two limits, as far as they can be read. */
export function maxPid(files: FileReader, proc: string): bigint | undefined {
  const limits = ['sys/kernel/pid_max', 'sys/kernel/threads-max'].flatMap((name) => {
    const file = files.read(proc, '', name);
    return file === undefined ? [] : [singleValue(file)];
  });
  const known = limits.filter((limit) => limit !== undefined);
  return known.sort((a, b) => (a < b ? -1 : 1))[0];
}
