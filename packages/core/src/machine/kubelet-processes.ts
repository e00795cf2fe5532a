import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '@nodeagent/api';
import type { KubeletProcess } from '../host/kubelet-process.js';

/** The kernel's names of programs that are a kubelet or contain one: kubeadm and others, k3s, MicroK8s. */
const programs = new Set(['kubelet', 'k3s-server', 'k3s-agent', 'kubelite']);

/**
 * The kubelets that run in the cgroup namespace of this process. A kubelet takes no lock, and its sockets do not show which cgroups it uses; its
 * process does, by its flags and its configuration file. Processes of pods and of users other than root and this process's are none, so that
 * a container cannot pretend to be a kubelet.
 */
export function findKubelets(proc = '/proc'): KubeletProcess[] {
  if (!existsSync(proc)) return [];
  const namespace = cgroupNamespace(proc, 'self');
  const pids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      return isKubelet(proc, pid, namespace) ? readKubelet(proc, pid) : [];
    } catch (error) {
      // It ended meanwhile, or it is one of a user whose processes this one may not inspect.
      if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return [];
      throw error;
    }
  });
}

function isKubelet(proc: string, pid: string, namespace: string | undefined): boolean {
  const read = (file: string) => readFileSync(join(proc, pid, file), 'utf8');
  if (!programs.has(read('comm').trim())) return false;
  const { uid } = statSync(join(proc, pid));
  const isTrusted = uid === 0 || uid === process.getuid?.();
  return isTrusted && cgroupNamespace(proc, pid) === namespace && !read('cgroup').includes('/kubepods');
}

function cgroupNamespace(proc: string, pid: string): string | undefined {
  try {
    return readlinkSync(join(proc, pid, 'ns/cgroup'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function readKubelet(proc: string, pid: string): KubeletProcess[] {
  const args = readFileSync(join(proc, pid, 'cmdline'), 'utf8').split('\0');
  // A process that has exited and whose parent has not read its exit code has none.
  if (args.length < 2) return [];
  const flag = (name: string) => {
    const index = args.findLastIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
    return index < 0 ? undefined : ((args[index]?.split('=').slice(1).join('=') || args[index + 1]) ?? '');
  };
  const configFile = flag('config');
  const configuration = configFile === undefined ? '' : readIfThere(join(proc, pid, 'root', configFile));
  return [
    {
      pid: Number(pid),
      cgroupRoot: flag('cgroup-root') || configuredText(configuration, 'cgroupRoot') || '/',
      runtimeEndpoint:
        flag('container-runtime-endpoint') ||
        configuredText(configuration, 'containerRuntimeEndpoint') ||
        'unix:///run/containerd/containerd.sock',
      rootDir: flag('root-dir') || '/var/lib/kubelet',
    },
  ];
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The text of a field at the top of a file in YAML or JSON. */
function configuredText(configuration: string, field: string): string | undefined {
  return new RegExp(`(?:^|[{,])\\s*["']?${field}["']?\\s*:\\s*["']?([^"',}\\s#]*)`, 'm').exec(configuration)?.[1];
}
