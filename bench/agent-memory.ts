import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds, root, startMeasuredAgent } from './agent-memory/agent-process.js';

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
  const agent = await startMeasuredAgent(pods);
  try {
    await agent.running();
    const startCpu = cpuSeconds(agent.pid);
    await sleep(settleMs);
    const idleStart = cpuSeconds(agent.pid);
    await sleep(idleMs);
    const idleCpu = ((cpuSeconds(agent.pid) - idleStart) / (idleMs / 1_000)) * 100;
    return { rss: status(agent.pid, 'VmRSS'), peak: status(agent.pid, 'VmHWM'), startCpu, idleCpu };
  } finally {
    await agent.stop();
  }
}

/** In MiB. */
function status(pid: number, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) / 1024;
}
