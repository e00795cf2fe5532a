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
  /** When all pods run. */
  running(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts `nodeagent run` with this number of manifests and further flags. */
export async function startMeasuredAgent(pods: number, flags: readonly string[] = []): Promise<MeasuredAgent> {
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-bench-'));
  const children: ChildProcess[] = [];
  const socket = join(folder, 'cri.sock');
  const server = spawn(process.execPath, ['--import', 'tsx', join(root, 'bench/agent-memory/serve-memory-runtime.ts'), socket], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(server);
  await once(server.stdout, 'data');

  const manifests = join(folder, 'manifests');
  execFileSync('mkdir', [manifests]);
  for (let i = 0; i < pods; i++) writeFileSync(join(manifests, `pod-${i}.yaml`), manifest(`pod-${i}`));
  const args = [
    ...['--runtime-endpoint', `unix://${socket}`, '--cgroups-per-qos=false', '--manifests', manifests],
    ...['--output', 'log', '--log-level', 'warn', '--root-dir', join(folder, 'root'), '--pod-logs-dir', join(folder, 'logs')],
  ];
  const agent = spawn(process.execPath, [join(root, 'packages/cli/dist/bin.js'), 'run', ...args, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(agent);
  agent.stdout.resume();
  return {
    pid: agent.pid ?? 0,
    running: () => untilRunning(folder, pods),
    async stop() {
      for (const child of children.reverse()) {
        // The agent undoes the shared mount of its folder when it ends by itself.
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** User and system time of the process so far, from clock ticks of 10 ms. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
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
      resources: { requests: { cpu: 10m, memory: 16Mi }, limits: { memory: 32Mi } }
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
