import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cgroupPaths } from '../agent/cgroup-roots.js';
import { listIfThere, readIfThere } from '../if-there.js';
import type { ChurnSettings, Listed } from './churning-agent.js';

const idPattern = /[0-9a-f]{64}/;
const isId = (name: string) => /^[0-9a-f]{64}$/.test(name);
const sorted = (ids: Iterable<string | undefined>) => [...new Set(ids)].filter((id) => id !== undefined).sort();

/** IDs of the sandboxes and containers that have each kind of thing on the machine. */
export type StateOnMachine = Record<
  'folders' | 'runtimeFolders' | 'exitFiles' | 'mounts' | 'namespaces' | 'cgroups' | 'processes' | 'monitors' | 'ports' | 'strays',
  string[]
>;

/** What the machine has of a runtime. */
export function stateOnMachine(
  { work, cgroupParent }: Pick<ChurnSettings, 'work' | 'cgroupParent'>,
  rules: readonly string[],
  { containers, sandboxes }: Listed,
): StateOnMachine {
  const root = join(work, 'root');
  const mounts = mountsBelow(root);
  const processes = processesOf(work, cgroupParent);
  const prefix = `nodeagent-${createHash('sha256').update(root).digest('hex').slice(0, 8)}-`;
  const repeated = mounts.filter((path, index) => mounts.indexOf(path) !== index);
  const monitored = processes.filter(({ args }) => args[0]?.endsWith('conmon'));
  const others = processes.filter(({ args }) => !args[0]?.endsWith('conmon'));
  // A removal that did not end leaves a part to the next one.
  const stopped = new Set([
    ...containers.filter(({ state }) => state === 'CONTAINER_EXITED').map(({ id }) => id),
    ...sandboxes.filter(({ isReady }) => !isReady).map(({ id }) => id),
  ]);
  return {
    folders: sorted(['sandboxes', 'containers'].flatMap((folder) => listIfThere(join(root, folder)))),
    runtimeFolders: sorted(listIfThere(join(root, 'runtime')).filter(isId)),
    exitFiles: listIfThere(join(root, 'exits')).filter((name) => !stopped.has(name)),
    mounts: sorted(mounts.map((path) => idPattern.exec(path)?.[0])).filter((id) => !stopped.has(id)),
    namespaces: sorted(listIfThere('/run/netns').flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))),
    cgroups: sorted(
      cgroupPaths(cgroupParent).flatMap((path) => listIfThere(path).flatMap((pod) => listIfThere(join(path, pod)).filter(isId))),
    ),
    processes: sorted(others.map(({ id }) => id)),
    monitors: sorted(monitored.map(({ args }) => args[args.indexOf('--cid') + 1])),
    ports: sorted(rules.filter((rule) => rule.includes('HOSTPORT-DNAT')).map((rule) => idPattern.exec(rule)?.[0])),
    strays: [...repeated, ...others.filter(({ id }) => id === undefined).map(({ pid, args }) => `${pid} ${args.join(' ')}`)],
  };
}

/**
 * What the machine should have by what the runtime lists. A container whose creation the OCI runtime refused is created without a process.
 */
export function expectedState({ sandboxes, containers }: Listed, { monitors }: StateOnMachine): StateOnMachine {
  const ids = (list: readonly { id: string }[]) => sorted(list.map(({ id }) => id));
  const running = containers.filter(
    ({ id, state }) => state === 'CONTAINER_RUNNING' || (state === 'CONTAINER_CREATED' && monitors.includes(id)),
  );
  const created = containers.filter(({ state }) => state !== 'CONTAINER_EXITED');
  const ready = sandboxes.filter(({ isReady }) => isReady);
  const withProcess = ids([...running, ...ready.filter(({ sharesProcesses }) => sharesProcesses)]);
  return {
    folders: ids([...sandboxes, ...containers]),
    runtimeFolders: withProcess,
    exitFiles: [],
    mounts: ids([...ready, ...created]),
    namespaces: ids(ready),
    cgroups: withProcess,
    processes: withProcess,
    monitors: ids(running),
    ports: ids(ready.filter(({ hasHostPort }) => hasHostPort)),
    strays: [],
  };
}

const mountsBelow = (root: string) =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((path) => path.startsWith(`${root}/`));

/** Processes of containers and of the runtime, which only has monitors while it makes no change. */
function processesOf(work: string, cgroupParent: string): { pid: string; args: string[]; id: string | undefined }[] {
  const marks = [`NODEAGENT_OCI_ROOT=${join(work, 'root')}`, 'NODEAGENT_OCI_CONTAINER=', `NODEAGENT_TEST_WORK=${work}`];
  return listIfThere('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const cgroup = readIfThere(`/proc/${pid}/cgroup`);
    const args = readIfThere(`/proc/${pid}/cmdline`).split('\0');
    const environment = readIfThere(`/proc/${pid}/environ`);
    const isInCgroup = cgroup.includes(`${cgroupParent}/`);
    const hasMark =
      marks.some((mark) => environment.includes(mark)) && (environment.includes(work) || args.some((arg) => arg.includes(work)));
    // A process that ends has neither arguments nor an environment.
    if (args.join('') === '' || !(isInCgroup || hasMark)) return [];
    return [{ pid, args, id: isInCgroup ? idPattern.exec(cgroup)?.[0] : undefined }];
  });
}
