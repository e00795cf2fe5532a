import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OciSpec, PodNamespacePaths } from '@nodeagent/oci-runtime/decisions';
import { crunCommand } from './usable-crun.js';

/** A root file system with a static busybox, and users. */
export function makeRootfs(folder: string): string {
  for (const name of ['bin', 'etc', 'tmp', 'proc', 'sys', 'dev']) mkdirSync(join(folder, name), { recursive: true });
  copyFileSync('/bin/busybox', join(folder, 'bin/busybox'));
  for (const applet of ['sh', 'cat', 'id', 'echo', 'touch', 'hostname', 'unshare', 'ls', 'stat', 'sleep', 'ps', 'readlink', 'pwd']) {
    symlinkSync('busybox', join(folder, 'bin', applet));
  }
  return folder;
}

/** Pins new namespaces at files in a folder, as a pod has them. */
export function pinNamespaces(folder: string): PodNamespacePaths {
  const paths = { network: join(folder, 'net'), uts: join(folder, 'uts'), ipc: join(folder, 'ipc') };
  for (const path of Object.values(paths)) writeFileSync(path, '');
  succeed('unshare', [`--net=${paths.network}`, `--uts=${paths.uts}`, `--ipc=${paths.ipc}`, 'hostname', 'web']);
  return paths;
}

/** Unmounts pinned namespaces. */
export function unpinNamespaces(paths: PodNamespacePaths): void {
  for (const path of Object.values(paths)) succeed('umount', [path]);
}

/** Runs a container to its end; `output` has standard output, and what the runtime reports if it fails. */
export function runBundle(runtime: string, work: string, id: string, spec: OciSpec): { status: number | null; output: string } {
  const bundle = writeBundle(work, id, spec);
  const { status, stdout, stderr } = call(runtime, work, ['run', '--bundle', bundle, id], 'pipe');
  rmSync(bundle, { recursive: true });
  return { status, output: status === 0 ? stdout : stdout + stderr };
}

/** Starts a container without standard streams. */
export function startBundle(runtime: string, work: string, id: string, spec: OciSpec): { pid: number; remove(): void } {
  const bundle = writeBundle(work, id, spec);
  const pidFile = join(bundle, 'pid');
  // A container keeps its streams, and a pipe would not end.
  const { status } = call(runtime, work, ['run', '--detach', '--pid-file', pidFile, '--bundle', bundle, id], 'ignore');
  if (status !== 0) throw new Error(`${runtime} run --detach ended with ${status}`);
  return {
    pid: Number(readFileSync(pidFile, 'utf8')),
    remove() {
      call(runtime, work, ['delete', '--force', id], 'pipe');
      rmSync(bundle, { recursive: true });
    },
  };
}

/** A user namespace with network, host name and IPC in it, until it is removed. */
export async function startUserNamespace(mapping: string): Promise<{ paths: PodNamespacePaths; remove(): void }> {
  const holder = spawn('unshare', ['--user', '--net', '--uts', '--ipc', 'sh', '-c', 'echo; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(holder.stdout, 'data');
  for (const file of ['uid_map', 'gid_map']) writeFileSync(`/proc/${holder.pid}/${file}`, mapping);
  const of = (file: string) => `/proc/${holder.pid}/ns/${file}`;
  return {
    paths: { network: of('net'), uts: of('uts'), ipc: of('ipc'), user: of('user') },
    remove: () => holder.kill('SIGKILL'),
  };
}

function writeBundle(work: string, id: string, spec: OciSpec): string {
  const bundle = join(work, 'bundles', id);
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(spec));
  return bundle;
}

function call(runtime: string, work: string, args: string[], output: 'pipe' | 'ignore') {
  const [program = runtime, ...before] = runtime === 'crun' ? crunCommand() : [runtime];
  return spawnSync(program, [...before, '--root', join(work, 'state'), ...args], {
    encoding: 'utf8',
    timeout: 30_000,
    stdio: ['ignore', output, output],
  });
}

function succeed(program: string, args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}
