import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@nodeagent/api';
import { unknownError } from '../errors.js';
import { programEnvironment, type RunProgram, runOrThrow } from '../programs.js';
import type { UserMappings } from '../spec/namespaces.js';
import type { OciIdMapping, OciNamespaceType } from '../spec/oci-spec.js';

/** A new user namespace and new namespaces that it owns. They exist while a process is in them, or they are bound to files. */
export interface UserNamespace {
  /** The file of one of the namespaces, until `close`. */
  pathOf(type: OciNamespaceType): string;
  /** Ends the process in the namespaces. */
  close(): Promise<void>;
}

const options: Readonly<Record<string, string>> = { user: '--user', network: '--net', uts: '--uts', ipc: '--ipc' };
const timeoutMs = 60_000;

/**
 * Creates a user namespace with the mappings, and the other types of namespaces in it. Only a process outside may map ranges of IDs, so one
 * waits inside meanwhile. It reads its standard input, and so ends with this process.
 */
export async function createUserNamespace(types: readonly OciNamespaceType[], mappings: UserMappings): Promise<UserNamespace> {
  const child = spawn('unshare', [...types.map((type) => options[type] ?? ''), '--', 'cat'], {
    cwd: '/',
    env: programEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const close = async () => {
    child.stdin.end();
    await closed;
  };
  child.stdin.on('error', () => {});
  try {
    await echo(child);
    const files = { uid_map: mappings.uidMappings, gid_map: mappings.gidMappings };
    for (const [name, ranges] of Object.entries(files)) writeFileSync(`/proc/${child.pid}/${name}`, mapText(ranges));
  } catch (error) {
    await close();
    throw unknownError(`cannot create a user namespace: ${errorMessage(error)}`, error);
  }
  return { pathOf: (type) => `/proc/${child.pid}/ns/${type === 'network' ? 'net' : type}`, close };
}

/** Resolves once the program runs: then the namespaces exist. */
async function echo(child: ChildProcess): Promise<void> {
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(0, 1024);
  });
  const ended = once(child, 'close').then(([code]) => {
    throw new Error(stderr.trim() || `unshare failed: exit status ${code}`);
  });
  ended.catch(() => {});
  child.stdin?.write('ready\n');
  await Promise.race([once(child.stdout as NonNullable<typeof child.stdout>, 'data'), ended]);
}

/** user_namespaces(7): the ID inside, the ID outside, and the number of IDs. */
const mapText = (ranges: readonly OciIdMapping[]) =>
  ranges.map(({ containerID, hostID, size }) => `${containerID} ${hostID} ${size}\n`).join('');

/** Binds the namespaces to files of their types' names in a folder. */
export async function bindNamespaces(
  namespace: UserNamespace,
  folder: string,
  types: readonly OciNamespaceType[],
  run: RunProgram,
): Promise<void> {
  for (const type of types) {
    const file = join(folder, type);
    writeFileSync(file, '', { mode: 0o444 });
    await runOrThrow(run, 'mount', ['--bind', namespace.pathOf(type), file]);
  }
}

/** Whether this machine can have user namespaces with the other namespaces of a pod. */
export async function canCreateUserNamespaces(): Promise<boolean> {
  const ids: readonly OciIdMapping[] = [{ containerID: 0, hostID: 0, size: 1 }];
  try {
    const namespace = await createUserNamespace(Object.keys(options) as OciNamespaceType[], { uidMappings: ids, gidMappings: ids });
    await namespace.close();
    return true;
  } catch {
    return false;
  }
}
