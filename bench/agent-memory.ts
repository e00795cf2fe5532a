import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const settleMs = 10_000;
const idleMs = 30_000;

/**
 * Memory and CPU of the built `nodeagent run` as a separate process, on the in-memory runtime that another process serves over a
 * socket, as containerd would.
 */
export async function benchAgentMemory(report: (line: string) => void): Promise<void> {
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--no-types'], { stdio: 'ignore' });
  for (const pods of [0, 60, 100]) {
    const { rss, peak, startCpu, idleCpu } = await measure(pods);
    report(`nodeagent run with ${pods} pods, RSS: ${rss.toFixed(1)} MiB (highest ${peak.toFixed(1)} MiB)`);
    report(`nodeagent run with ${pods} pods, CPU until all run: ${startCpu.toFixed(2)} s`);
    report(`nodeagent run with ${pods} pods, idle CPU: ${idleCpu.toFixed(2)} % of a core`);
  }
}

interface Measured {
  rss: number;
  peak: number;
  startCpu: number;
  idleCpu: number;
}

async function measure(pods: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-bench-'));
  const children: ChildProcess[] = [];
  try {
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
    const agent = spawn(
      process.execPath,
      [
        join(root, 'packages/cli/dist/bin.js'),
        'run',
        ...[
          '--runtime-endpoint',
          `unix://${socket}`,
          '--cgroups-per-qos=false',
          '--manifests',
          manifests,
          '--output',
          'log',
          '--log-level',
          'warn',
        ],
        ...['--root-dir', join(folder, 'root'), '--pod-logs-dir', join(folder, 'logs')],
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    children.push(agent);
    agent.stdout.resume();
    const pid = agent.pid ?? 0;
    await untilRunning(folder, pods);
    const startCpu = cpuSeconds(pid);
    await sleep(settleMs);
    const idleStart = cpuSeconds(pid);
    await sleep(idleMs);
    const idleCpu = ((cpuSeconds(pid) - idleStart) / (idleMs / 1_000)) * 100;
    return { rss: status(pid, 'VmRSS'), peak: status(pid, 'VmHWM'), startCpu, idleCpu };
  } finally {
    for (const child of children.reverse()) {
      // The agent undoes the shared mount of its folder when it ends by itself.
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }
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

/** In MiB. */
function status(pid: number, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) / 1024;
}

/** User and system time of the process so far, from clock ticks of 10 ms. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
