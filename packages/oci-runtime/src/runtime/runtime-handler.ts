import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@nodeagent/api';
import type { CgroupDriverName } from '@nodeagent/api/helpers';
import type { RunProgram } from '../programs.js';
import { readMachine } from '../read-machine.js';
import { type OciMachine, ociRuntimeVersion } from '../spec/machine.js';
import { hasCheckpoints } from '../spec/reported-features.js';
import { createOciProgram, type OciProgram } from './oci-program.js';

/** An OCI runtime that pods can request: Kubernetes, "Runtime Class". */
export interface RuntimeHandlerOptions {
  /** Path or name of the program. */
  path: string;
  /**
   * Absolute path of the folder of its state. Containers in it that are not of this runtime are removed. Default: a folder below the
   * runtime's root.
   */
  root?: string;
  /**
   * Names of annotations of a container that the program gets, because some obey them, such as `run.oci.*` of crun. One that ends with `*` is a
   * prefix. Default: none.
   */
  annotations?: readonly string[];
}

/** An OCI runtime, and the facts of the machine for specifications that are written for it. */
export interface RuntimeHandler {
  /** Empty for the default. */
  name: string;
  oci: OciProgram;
  machine: OciMachine;
  annotations: readonly string[];
  /** Whether processes of containers are processes of this machine, as those of crun and runc are; others may run a kernel between them. */
  hasNativeProcesses: boolean;
  /** Whether an update can remove the CPU quota: crun 1.8 fails to write -1 on cgroup v1 ("Numerical result out of range"). */
  removesCpuQuota: boolean;
  /** Whether the program is built with CRIU. */
  canCheckpoint: boolean;
}

/** The name of the default handler. */
export const defaultName = '';
const nativeRuntimes = ['crun', 'runc'];

export interface HandlerPorts {
  /** Root folder of this runtime. */
  root: string;
  run: RunProgram;
  cgroupDriver: CgroupDriverName;
  logger: Logger;
  /** The path of a program; rejects with what to install. */
  findProgram(program: string): Promise<string>;
}

/** Finds the program, and reads what it can do. */
export async function openHandler(name: string, options: RuntimeHandlerOptions, ports: HandlerPorts): Promise<RuntimeHandler> {
  const { root, run, cgroupDriver, findProgram } = ports;
  const state = options.root ?? (name === defaultName ? join(root, 'runtime') : join(root, 'runtimes', name));
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const systemdCgroup = cgroupDriver === 'systemd';
  const oci = createOciProgram({ path: await findProgram(options.path), root: state, systemdCgroup, run });
  const [output, features] = [await oci.version(), await oci.features()];
  const machine = await readMachine(output, features, cgroupDriver);
  const program = ociRuntimeVersion(output)?.name ?? '';
  return {
    name,
    oci,
    machine,
    annotations: options.annotations ?? [],
    hasNativeProcesses: nativeRuntimes.includes(program),
    removesCpuQuota: program !== 'crun' || machine.cgroups.version !== 1,
    canCheckpoint: hasCheckpoints(output, features),
  };
}
