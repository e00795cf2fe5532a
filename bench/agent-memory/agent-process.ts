import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The built `nodeagent run`, and the in-memory runtime that another process serves to it. */
export interface MeasuredAgent {
  pid: number;
  rootDir: string;
  /** When all pods run. */
  running(): Promise<void>;
  stop(): Promise<void>;
}

export interface MeasuredAgentOptions {
  /** Shows the list on a terminal. Default: writes log lines to a pipe. */
  terminal?: boolean;
  /** A further pod, whose container fails a second after each start. Default: none. */
  crashLoop?: boolean;
}

/** Starts `nodeagent run` with this number of manifests and further flags. */
export async function startMeasuredAgent(
  pods: number,
  flags: readonly string[] = [],
  { terminal = false, crashLoop = false }: MeasuredAgentOptions = {},
): Promise<MeasuredAgent> {
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-bench-'));
  const children: CommandProcess[] = [];
  const socket = join(folder, 'cri.sock');
  const server = spawn(process.execPath, ['--import', 'tsx', join(root, 'bench/agent-memory/serve-memory-runtime.ts'), socket], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push({ pid: server.pid ?? 0, child: server });
  await once(server.stdout, 'data');

  const manifests = join(folder, 'manifests');
  execFileSync('mkdir', [manifests]);
  for (let i = 0; i < pods; i++) writeFileSync(join(manifests, `pod-${i}.yaml`), manifest(`pod-${i}`));
  if (crashLoop) writeFileSync(join(manifests, 'crash.yaml'), manifest('crash').replace('name: main', 'name: crash'));
  const rootDir = join(folder, 'root');
  const args = [
    ...['run', '--runtime-endpoint', `unix://${socket}`, '--cgroups-per-qos=false', '--manifests', manifests],
    ...['--log-level', 'warn', '--root-dir', rootDir, '--pod-logs-dir', join(folder, 'logs'), ...flags],
  ];
  const agent = terminal ? await startInTerminal(args) : startCommand([...args, '--output', 'log']);
  children.push(agent);
  return {
    pid: agent.pid,
    rootDir,
    running: () => untilRunning(folder, pods),
    async stop() {
      // The agent undoes the shared mount of its folder when it ends by itself.
      for (const each of children.reverse()) await endCommand(each);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A process, and the child that ends with it: itself, or its terminal. */
export interface CommandProcess {
  pid: number;
  child: ChildProcess;
}

/** Ends the process with SIGTERM. */
export async function endCommand({ pid, child }: CommandProcess): Promise<void> {
  process.kill(pid, 'SIGTERM');
  await once(child, 'exit');
}

const command = join(root, 'packages/cli/dist/bin.js');

function startCommand(args: readonly string[]): CommandProcess {
  const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  return { pid: child.pid ?? 0, child };
}

/** Starts the built command in a terminal of 120 columns and 40 rows: that of script(1), which Debian always has. */
export async function startInTerminal(args: readonly string[]): Promise<CommandProcess> {
  const words = [process.execPath, command, ...args].map((word) => `'${word}'`).join(' ');
  const options = ['--quiet', '--return', '--command', `stty columns 120 rows 40; exec ${words}`, '/dev/null'];
  const child = spawn('script', options, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, TERM: 'xterm', SHELL: '/bin/sh' } });
  child.stdout.resume();
  await once(child, 'spawn');
  for (let tries = 0; tries < 100; tries++) {
    const pid = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim());
    if (pid > 0) return { pid, child };
    await sleep(20);
  }
  throw new Error('script(1) has started no command');
}

/** User and system time of the process so far, from clock ticks of 10 ms. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const measuredMs = 60_000;

/** CPU of each process, in percent of a core, over a minute. */
export async function idleCpu(pids: readonly number[]): Promise<string[]> {
  const before = pids.map(cpuSeconds);
  await sleep(measuredMs);
  return pids.map((pid, index) => (((cpuSeconds(pid) - (before[index] ?? 0)) / measuredMs) * 100_000).toFixed(2));
}

const manifest = (name: string) => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: { app: bench }
spec:
  containers:
    - name: main
      image: registry.example/app:1
      command: [sleep, infinity]
      env: [{ name: MODE, value: bench }]
      resources: { requests: { cpu: 5m, memory: 16Mi }, limits: { memory: 32Mi } }
`;

/** Every container has its hosts file in the pod's folder just before it is created. */
async function untilRunning(folder: string, pods: number): Promise<void> {
  const find = () =>
    execFileSync('find', [folder, '-name', 'etc-hosts', '-path', '*/pods/*'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '').length;
  for (let tries = 0; tries < 600; tries++) {
    if (find() >= pods) return sleep(2_000);
    await sleep(100);
  }
  throw new Error(`not all of ${pods} pods run after a minute`);
}
