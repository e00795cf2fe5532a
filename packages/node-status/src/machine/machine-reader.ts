import { readdir, readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { arch } from 'node:process';
import { NodeAgentError } from '@nodeagent/api';
import { nodeStatusErrorCodes } from '../errors.js';
import { goArchitecture } from './go-architecture.js';
import type { HugePages, MachineInfo } from './machine-info.js';
import { hugePagesOf, meminfoBytes, onlineCpus, osImage } from './parse.js';

export interface MachineReaderOptions {
  /** The directory with `proc`, `sys` and `etc`. Default `/`. */
  root?: string;
  /** The agent's root directory: the size of its file system is the node's ephemeral storage. Default: not reported. */
  stateDirectory?: string;
}

const machineIdFiles = ['etc/machine-id', 'var/lib/dbus/machine-id'];
const systemUuidFiles = ['sys/class/dmi/id/product_uuid', 'proc/device-tree/system-id', 'proc/device-tree/vm,uuid', ...machineIdFiles];
const osReleaseFiles = ['etc/os-release', 'usr/lib/os-release'];

/** Reads the facts of a Linux machine from its files. Facts that are not available, such as a container's machine id, are ''. */
export function createMachineReader(options: MachineReaderOptions = {}) {
  const { root = '/', stateDirectory } = options;
  /** The first non-empty file; '' if all are empty. */
  const read = async (...paths: string[]): Promise<string> => {
    for (const path of paths) {
      const text = await readFile(join(root, path), 'utf8').catch(() => '');
      if (text.trim() !== '') return text;
    }
    return '';
  };
  const word = async (...paths: string[]) => (await read(...paths)).replaceAll('\0', '').trim();

  async function hugePages(): Promise<HugePages[]> {
    const folder = 'sys/kernel/mm/hugepages';
    const names = await readdir(join(root, folder)).catch(() => []);
    const sizes = await Promise.all(names.sort().map(async (name) => hugePagesOf(name, await read(join(folder, name, 'nr_hugepages')))));
    return sizes.filter((size) => size !== undefined);
  }

  return {
    /** Rejects with `MachineUnreadable` if the machine's CPUs or memory cannot be determined. */
    async info(): Promise<MachineInfo> {
      const meminfo = await read('proc/meminfo');
      const memoryBytes = meminfoBytes(meminfo, 'MemTotal');
      const cpus = onlineCpus(await read('sys/devices/system/cpu/online'), await read('proc/cpuinfo'));
      if (memoryBytes === undefined || cpus === 0) {
        const message = `cannot read the machine's ${cpus === 0 ? 'CPUs' : 'memory'} below ${root}`;
        throw new NodeAgentError(nodeStatusErrorCodes.machineUnreadable, message, { retryable: true });
      }
      const storage = stateDirectory === undefined ? undefined : await statfs(stateDirectory, { bigint: true });
      return {
        cpus,
        memoryBytes,
        swapBytes: meminfoBytes(meminfo, 'SwapTotal') ?? 0n,
        hugePages: await hugePages(),
        ...(storage && { ephemeralStorageBytes: storage.blocks * storage.bsize }),
        machineId: await word(...machineIdFiles),
        systemUuid: await word(...systemUuidFiles),
        bootId: await word('proc/sys/kernel/random/boot_id'),
        kernelVersion: await word('proc/sys/kernel/osrelease'),
        osImage: osImage(await read(...osReleaseFiles)),
        operatingSystem: 'linux',
        architecture: goArchitecture(arch),
      };
    },
  };
}
