import { execFile } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { release } from 'node:os';
import { errorMessage, type Mounter, type MountRequest, NodeAgentError, type ToolResult } from '@nodeagent/api';
import { mountUtilsErrorCodes } from '../errors.js';
import { inSystemdScope, mountCalls, mountLogText } from './mount-arguments.js';
import { mountOf, parseMountInfo } from './mount-info.js';

export interface NodeMounterOptions {
  /** Whether to run each mount in a separate systemd scope, so that mount helpers survive the agent. Default false. */
  systemd?: boolean;
  /** Runs a program by its arguments. Default `execFile`. */
  run?: Mounter['run'];
  /** Default: whether this process runs as root. */
  isRoot?: boolean;
}

/** Options of a mount that a bind mount does not inherit. */
const inheritedOptions = ['ro', 'nodev', 'noexec', 'nosuid', 'noatime', 'relatime', 'nodiratime'];

/** Creates the mounter of this machine: mount(8), umount(8) and `/proc/self/mountinfo`. Does no I/O at creation. */
export function createNodeMounter(options: NodeMounterOptions = {}): Mounter {
  const { systemd = false, run = runTool, isRoot = process.getuid?.() === 0 } = options;
  const list = async () => parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8'));

  function requireRoot(request: MountRequest): void {
    if (isRoot) return;
    throw new NodeAgentError(
      mountUtilsErrorCodes.mountNotPermitted,
      `mounting ${mountLogText(request)} is not permitted: mounting requires root`,
      {
        hint: 'Run the agent as root: volumes in memory, subPath, devices and network file systems need mounts.',
        details: { target: request.target },
      },
    );
  }

  /** By the resolved path, as mount(8) does. */
  async function flagsOf(source: string): Promise<string[]> {
    const path = await realpath(source).catch(() => undefined);
    const mount = path === undefined ? undefined : mountOf(path, await list());
    return inheritedOptions.filter((option) => mount?.options.includes(option));
  }

  return {
    canMount: isRoot,
    list,
    run,
    async mount(request, signal) {
      requireRoot(request);
      requireOperands(request.source, request.target);
      const isBind = [...(request.options ?? []), ...(request.sensitiveOptions ?? [])].includes('bind');
      for (const args of mountCalls(request, isBind ? await flagsOf(request.source) : [])) {
        const [command = '', ...rest] = systemd ? inSystemdScope(request.target, args) : ['mount', ...args];
        const result = await run(command, rest, signal, request.cwd);
        if (result.exitCode !== 0) throw mountFailed(`mount ${mountLogText(request)}`, result, request);
      }
    },
    async unmount(target, signal) {
      const result = await run('umount', [target], signal);
      const isUnmounted = result.stderr.includes('not mounted') || result.stderr.includes('no mount point');
      if (result.exitCode !== 0 && !isUnmounted) throw mountFailed(`unmount ${target}`, result);
    },
    async canRefuseSwap() {
      const [major = 0, minor = 0] = release().split('.').map(Number);
      return major > 6 || (major === 6 && minor >= 4);
    },
  };
}

/** Tools take an argument that begins with a dash for an option: `-odev,suid` as the server of an NFS volume. */
export function requireOperands(...paths: readonly string[]): void {
  const option = paths.find((path) => path.startsWith('-'));
  if (option === undefined) return;
  throw new NodeAgentError(
    mountUtilsErrorCodes.mountFailed,
    `cannot mount "${option}": a source or target that begins with "-" is invalid`,
  );
}

/** The output of a tool may repeat its arguments: sensitive ones are removed. */
export function mountFailed(what: string, { exitCode, stdout, stderr }: ToolResult, request?: MountRequest): NodeAgentError {
  let output = `${stdout}${stderr}`.trim();
  for (const secret of request?.sensitiveOptions ?? []) if (secret !== '') output = output.replaceAll(secret, '<masked>');
  return new NodeAgentError(mountUtilsErrorCodes.mountFailed, `${what} failed: exit status ${exitCode}: ${output}`, {
    retryable: true,
    details: { exitCode, output },
  });
}

async function runTool(command: string, args: readonly string[], signal?: AbortSignal, cwd?: string): Promise<ToolResult> {
  // A program that is started with an aborted signal may have an effect before it is killed.
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    // The texts of umount(8) are compared: they must not be translated.
    const options = { env: { ...process.env, LC_ALL: 'C' }, ...(signal && { signal }), ...(cwd !== undefined && { cwd }) };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) resolve({ exitCode: 0, stdout, stderr });
      else if (typeof error.code === 'number') resolve({ exitCode: error.code, stdout, stderr });
      else {
        const cannot = new NodeAgentError(mountUtilsErrorCodes.mountFailed, `${command} cannot be run: ${errorMessage(error.code)}`, {
          retryable: true,
        });
        reject(signal?.aborted ? signal.reason : cannot);
      }
    });
  });
}
