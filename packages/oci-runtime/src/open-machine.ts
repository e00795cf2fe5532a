import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Logger } from '@nodeagent/api';
import type { CgroupDriverName } from '@nodeagent/api/helpers';
import { createCgroupManager } from '@nodeagent/cgroups';
import { machineCgroupFiles } from '@nodeagent/cgroups/node';
import type { PodSandboxConfig } from '@nodeagent/cri-api';
import type { Stamps } from '@nodeagent/process-runtime/cri';
import { checkConmon } from './conmon/check-conmon.js';
import { monitorCgroup } from './conmon/monitor-cgroup.js';
import { monitorScope } from './conmon/monitor-scope.js';
import { createRootFileSystems } from './containers/root-file-systems.js';
import { unsupportedPlatform } from './errors.js';
import type { RuntimeImageStore } from './images/image-store.js';
import { createPrograms, type RunProgram } from './programs.js';
import { openHandlers } from './runtime/handlers.js';
import type { RuntimeHandlerOptions } from './runtime/runtime-handler.js';
import { containerCgroupFolder, podCgroupParent } from './spec/cgroup-path.js';
import { openRecordFolder } from './state/record-folder.js';
import type { ContainerRecord, SandboxRecord } from './state/records.js';

export interface MachineOptions {
  root: string;
  images: RuntimeImageStore;
  handlers: Readonly<Record<string, RuntimeHandlerOptions>>;
  cgroupDriver: CgroupDriverName;
  conmon: string;
  clock: Clock;
  logger: Logger;
  stamps: Stamps;
}

/** What a started runtime uses of the machine. */
export type OpenMachine = Awaited<ReturnType<typeof openMachine>>;

/** The beginning of all names of a root folder that others could have on the machine: each run removes what has such a name and is not in use. */
export const machineNames = (root: string) => `nodeagent-${createHash('sha256').update(root).digest('hex').slice(0, 8)}-`;

/** Finds the programs, and opens the folders. */
export async function openMachine(options: MachineOptions) {
  const { root, clock, logger, stamps } = options;
  const run = createPrograms(root);
  const find = (program: string) => findProgram(run, program);
  const folders = {
    sandboxes: openRecordFolder<SandboxRecord>(join(root, 'sandboxes')),
    containers: openRecordFolder<ContainerRecord>(join(root, 'containers')),
  };
  const programPorts = { root, run, cgroupDriver: options.cgroupDriver, logger, findProgram: find };
  const handlers = await openHandlers(options.handlers, folders.sandboxes.load().records, programPorts);
  const conmon = await find(options.conmon);
  await checkConmon(conmon, run);
  const { machine } = handlers.get('');
  const { driver } = machine.cgroups;
  const exitDir = join(root, 'exits');
  mkdirSync(exitDir, { recursive: true, mode: 0o700 });
  const cgroups = createCgroupManager({ files: machineCgroupFiles, clock });
  const cgroupOf = (sandbox: PodSandboxConfig, id: string) =>
    containerCgroupFolder(podCgroupParent(sandbox, driver), id, driver).split('/').filter(Boolean);
  /** The ports of sandboxes, containers and their recovery. */
  const ports = {
    ...{ run, handlers, exitDir, clock, logger },
    rootFileSystems: createRootFileSystems(options.images, machineNames(root)),
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    stamp: stamps.next,
    monitorCgroup(sandbox: PodSandboxConfig) {
      const parent = podCgroupParent(sandbox, driver);
      return driver === 'systemd' ? monitorScope(parent) : monitorCgroup(parent);
    },
    removeCgroup: (sandbox: PodSandboxConfig, id: string) => cgroups.remove(cgroupOf(sandbox, id)),
    removeCpuQuota: (sandbox: PodSandboxConfig, id: string) => cgroups.update(cgroupOf(sandbox, id), { cpuQuota: -1 }),
  };
  return { find, conmon, folders, ports, cgroups: machine.cgroups };
}

/** The path of a program: conmon finds the OCI runtime by its path only. */
async function findProgram(run: RunProgram, program: string): Promise<string> {
  const { exitCode, stdout } = await run('which', [program]);
  if (exitCode === 0) return stdout.trim();
  throw unsupportedPlatform(`needs the program ${program}, which is not in PATH`, `Install it: apt install ${program}`);
}
