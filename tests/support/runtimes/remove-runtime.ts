import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cgroupPaths, removeEmptyCgroup } from '../agent/cgroup-roots.js';
import { listIfThere, readIfThere } from '../if-there.js';
import { removeFolder } from '../remove-folder.js';

/** Removes a runtime with all its processes, from the outside: it calls neither the daemon, which may hang or have exited, nor the code
 * under test. Does nothing if none of it is there.
 */
export async function removeRuntime({ work, bridge }: { work: string; bridge: string }): Promise<void> {
  const ids = ['state/io.containerd.runtime.v2.task/k8s.io', 'root/sandboxes', 'root/containers'].flatMap((folder) =>
    listIfThere(join(work, folder)),
  );
  await killAll(`a process of ${work}`, () => processes().filter((pid) => isOf(pid, work, ids)));
  spawnSync('ip', ['link', 'delete', bridge]);
  removeHostPorts(bridge);
  for (const id of ids) {
    removeNamespaces(id);
    for (const cgroup of ['k8s.io', 'nodeagent'].flatMap((parent) => cgroupPaths(`${parent}/${id}`))) removeEmptyCgroup(cgroup);
  }
  // The network namespaces of containerd are mounts in the folder; the veth pairs go with them.
  removeFolder(work);
}

/** Daemons, shims and monitors name the folder in their arguments, processes of containers have the container's id in their cgroup. */
function isOf(pid: string, work: string, ids: readonly string[]): boolean {
  const cgroups = readIfThere(`/proc/${pid}/cgroup`);
  return readIfThere(`/proc/${pid}/cmdline`).includes(`${work}/`) || ids.some((id) => cgroups.includes(id));
}

async function killAll(what: string, list: () => string[]): Promise<void> {
  const limitMs = 20_000;
  for (const until = Date.now() + limitMs; ; await sleep(50)) {
    const pids = list();
    if (pids.length === 0) return;
    if (Date.now() > until) throw new Error(`${what} is still there ${limitMs} ms after SIGKILL: ${pids.map(describeProcess).join('; ')}`);
    for (const pid of pids) kill(pid);
  }
}

const netnsFolder = '/run/netns';

/** The network namespaces that are pinned at files with the id of a sandbox. */
function removeNamespaces(id: string): void {
  for (const name of listIfThere(netnsFolder)) if (name.endsWith(id)) spawnSync('ip', ['netns', 'delete', name]);
}
/** Rules that the CNI plugin portmap made for the network; they name it in a comment. */
function removeHostPorts(network: string): void {
  const rules = (spawnSync('iptables-save', ['-t', 'nat'], { encoding: 'utf8' }).stdout ?? '')
    .split('\n')
    .filter((line) => line.startsWith('-A CNI-HOSTPORT-DNAT ') && line.includes(`name: \\"${network}\\"`));
  if (rules.length === 0) return;
  const chains = rules.map((rule) => / -j (\S+)/.exec(rule)?.[1]).filter((chain) => chain !== undefined);
  const lines = [
    '*nat',
    ...rules.map((rule) => rule.replace('-A', '-D')),
    ...chains.map((chain) => `-F ${chain}`),
    ...chains.map((chain) => `-X ${chain}`),
    'COMMIT\n',
  ];
  const { status, stderr } = spawnSync('iptables-restore', ['--noflush'], { input: lines.join('\n'), encoding: 'utf8' });
  if (status !== 0) throw new Error(`iptables-restore without the host ports of ${network}: ${stderr}`);
}

const processes = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== `${process.pid}`);
const describeProcess = (pid: string) => `${pid} (${readIfThere(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()})`;

function kill(pid: string): void {
  try {
    process.kill(Number(pid), 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
