import { mkdirSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { invalidOption } from '@nodeagent/api';
import type { CgroupDriverName } from '@nodeagent/api/helpers';
import { invalidArgument } from '../errors.js';
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
  /** Whether the program is built with CRIU. */
  canCheckpoint: boolean;
}

export interface RuntimeHandlers {
  /** @throws NodeAgentError CRI_INVALID_ARGUMENT if none of this name is configured */
  get(name: string | undefined): RuntimeHandler;
  list(): RuntimeHandler[];
}

const nativeRuntimes = ['crun', 'runc'];
/** The name of the default handler. */
const defaultName = '';
/** A label of DNS: the handler of a RuntimeClass. */
const nameForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** @throws NodeAgentError InvalidOption */
export function checkHandlers(handlers: Readonly<Record<string, RuntimeHandlerOptions>>): void {
  for (const [name, { path, root }] of Object.entries(handlers)) {
    if (name !== defaultName && !nameForm.test(name)) throw invalidOption('handlers', 'names that are labels of DNS', name);
    if (!path) throw invalidOption(`handlers["${name}"].path`, 'the path or the name of a program', path);
    if (root !== undefined && (!isAbsolute(root) || resolve(root) === '/')) {
      throw invalidOption(`handlers["${name}"].root`, 'the absolute path of a folder that only this runtime uses', root);
    }
  }
}

export interface HandlersPorts {
  /** Root folder of this runtime. */
  root: string;
  run: RunProgram;
  cgroupDriver: CgroupDriverName;
  /** The path of a program; rejects with what to install. */
  findProgram(program: string): Promise<string>;
}

/** Finds the programs, and reads what they can do. */
export async function openHandlers(
  handlers: Readonly<Record<string, RuntimeHandlerOptions>>,
  { root, run, cgroupDriver, findProgram }: HandlersPorts,
): Promise<RuntimeHandlers> {
  const opened = new Map<string, RuntimeHandler>();
  for (const [name, options] of Object.entries(handlers)) {
    const state = options.root ?? (name === defaultName ? join(root, 'runtime') : join(root, 'runtimes', name));
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const systemdCgroup = cgroupDriver === 'systemd';
    const oci = createOciProgram({ path: await findProgram(options.path), root: state, systemdCgroup, run });
    const [output, features] = [await oci.version(), await oci.features()];
    const machine = await readMachine(output, features, cgroupDriver);
    const hasNativeProcesses = nativeRuntimes.includes(ociRuntimeVersion(output)?.name ?? '');
    opened.set(name, {
      name,
      oci,
      machine,
      annotations: options.annotations ?? [],
      hasNativeProcesses,
      canCheckpoint: hasCheckpoints(output, features),
    });
  }
  return {
    get(name = defaultName) {
      const handler = opened.get(name);
      if (handler !== undefined) return handler;
      throw invalidArgument('runtime_handler', `failed to get sandbox runtime: no runtime for "${name}" is configured`);
    },
    list: () => [...opened.values()],
  };
}
