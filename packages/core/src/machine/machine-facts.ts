import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { arch, cpus, endianness, networkInterfaces } from 'node:os';
import { type Clock, errorMessage } from '@nodeagent/api';
import { goArchitecture } from '@nodeagent/node-status/decisions';
import { subordinateIds } from '@nodeagent/runtime-manager';
import type { MachineFacts } from '../host/machine-facts.js';

/** Reads the machine's facts from `/proc` and `/sys`, once. */
export function readMachineFacts(): MachineFacts {
  const meminfo = readIfThere('/proc/meminfo');
  const kib = (name: string) => BigInt(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo)?.[1] ?? 0) * 1024n;
  const cgroupV2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const swapController = cgroupV2
    ? existsSync(`/sys/fs/cgroup${ownCgroup()}/memory.swap.max`)
    : existsSync('/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes');
  const seLinuxFileLabel = readSELinuxFileLabel();
  const pageSize = readPageSize();
  return {
    architecture: goArchitecture(arch()),
    cpus: cpus().length,
    memoryBytes: kib('MemTotal'),
    cgroupVersion: cgroupV2 ? 2 : 1,
    hugePageSizes: listIfThere('/sys/kernel/mm/hugepages').flatMap((name) => hugePageSize(name) ?? []),
    swapController,
    swapBytes: kib('SwapTotal'),
    maskedPaths: listIfThere('/sys/devices/system/cpu')
      .filter((name) => /^cpu\d+$/.test(name))
      .map((name) => `/sys/devices/system/cpu/${name}/thermal_throttle`)
      .filter((path) => existsSync(path)),
    selinux: existsSync('/sys/fs/selinux/enforce'),
    ...(seLinuxFileLabel && { seLinuxFileLabel }),
    ...podIdsOf(readIfThere('/etc/subuid'), readIfThere('/etc/subgid')),
    ...(pageSize && { pageSize }),
  };
}

/** The machine's maximum number of processes: the lower one of `pid_max` and `threads-max`. Undefined if neither can be read. */
export function readMaxPids(): number | undefined {
  const limits = ['pid_max', 'threads-max'].map((name) => Number.parseInt(readIfThere(`/proc/sys/kernel/${name}`), 10));
  const known = limits.filter((limit) => limit > 0);
  return known.length > 0 ? Math.min(...known) : undefined;
}

/** The ids for pods, or the error in them. */
export function podIdsOf(subuid: string, subgid: string): Pick<MachineFacts, 'podIds' | 'podIdsError'> {
  try {
    const podIds = subordinateIds(subuid, subgid);
    return podIds ? { podIds } : {};
  } catch (error) {
    return { podIdsError: errorMessage(error) };
  }
}

/** Reads `AT_PAGESZ` of the auxiliary vector. */
function readPageSize(): number | undefined {
  try {
    return auxiliaryValue(readFileSync('/proc/self/auxv'), 6);
  } catch {
    return undefined;
  }
}

/**
 * One entry of the auxiliary vector: pairs of type and value, both machine words (64 bits on every platform of Node.js). See getauxval(3).
 */
export function auxiliaryValue(vector: Buffer, type: number): number | undefined {
  const word = (offset: number) => Number(endianness() === 'LE' ? vector.readBigUInt64LE(offset) : vector.readBigUInt64BE(offset));
  for (let offset = 0; offset + 16 <= vector.length; offset += 16) if (word(offset) === type) return word(offset + 8);
  return undefined;
}

/** Reads the label from the SELinux policy's container contexts; undefined without SELinux. */
function readSELinuxFileLabel(): string | undefined {
  if (!existsSync('/sys/fs/selinux/enforce')) return undefined;
  const policy = /^SELINUXTYPE=(\w+)/m.exec(readIfThere('/etc/selinux/config'))?.[1];
  const contexts = readIfThere(`/etc/selinux/${policy}/contexts/lxc_contexts`);
  return /^file\s*=\s*"([^"]+)"/m.exec(contexts)?.[1];
}

/** `hugepages-2048kB` -> `2MB`. */
export function hugePageSize(folder: string): string | undefined {
  let size = Number(/^hugepages-(\d+)kB$/.exec(folder)?.[1] ?? Number.NaN);
  if (Number.isNaN(size)) return undefined;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (size >= 1024 && size % 1024 === 0 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${size}${units[unit]}`;
}

const hostAddressesPeriodMs = 10_000;

/**
 * Returns {@link hostAddresses} of the first read that found more than a loopback address; until then it reads again at most every 10 s.
 */
export function createHostAddresses(clock: Pick<Clock, 'monotonic'>, read = hostAddresses): () => readonly string[] {
  let found: readonly string[] = [];
  let nextReadAt = 0;
  return () => {
    if (clock.monotonic() < nextReadAt) return found;
    found = read();
    nextReadAt = found.includes(loopback) ? clock.monotonic() + hostAddressesPeriodMs : Number.POSITIVE_INFINITY;
    return found;
  };
}

const loopback = '127.0.0.1';

/** The machine's addresses, IPv4 before IPv6, at most one of each family; loopback only if there is no other. */
export function hostAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const usable = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const first = (family: string) => usable.find((address) => address.family === family)?.address;
  const found = [first('IPv4'), first('IPv6')].filter((address) => address !== undefined);
  return found.length > 0 ? found : [loopback];
}

function ownCgroup(): string {
  return /^0::(.*)$/m.exec(readIfThere('/proc/self/cgroup'))?.[1] ?? '';
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function listIfThere(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}
