import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endCommand, idleCpu, type MeasuredAgentOptions, root, startInTerminal, startMeasuredAgent } from './agent-memory/agent-process.js';

const settleMs = 15_000;
const cases: { pods: number; crashLoop?: boolean }[] = [{ pods: 60 }, { pods: 250 }, { pods: 60, crashLoop: true }];

/**
 * CPU that an open list takes, with pods on the in-memory runtime of another process: `nodeagent run` on a terminal beside one that writes log lines,
 * and `nodeagent pods --watch` with the agent that answers it.
 */
export async function benchTerminal(report: (line: string) => void): Promise<void> {
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--no-types'], { stdio: 'ignore' });
  for (const { pods, ...options } of cases) await measureLists(pods, options, report);
}

async function measureLists(pods: number, options: MeasuredAgentOptions, report: (line: string) => void): Promise<void> {
  const flags = ['--healthz-port', '0', '--port', '0', '--max-pods', '300'];
  const plain = await startMeasuredAgent(pods, flags, options);
  const shown = await startMeasuredAgent(pods, flags, { ...options, terminal: true });
  try {
    await Promise.all([plain.running(), shown.running()]);
    await sleep(settleMs);
    const [without, list] = await idleCpu([plain.pid, shown.pid]);
    const watch = await startInTerminal(['pods', '--watch', '--root-dir', plain.rootDir]);
    await sleep(settleMs);
    const [answering, watching] = await idleCpu([plain.pid, watch.pid]);
    const name = `with ${pods} idle pods${options.crashLoop ? ' and a crash-looping one' : ''}, CPU`;
    report(`nodeagent run with log lines ${name}: ${without} % of a core`);
    report(`nodeagent run with the list ${name}: ${list} % of a core`);
    report(`nodeagent run with log lines and pods --watch ${name}: ${answering} % of a core`);
    report(`nodeagent pods --watch ${name}: ${watching} % of a core`);
    await endCommand(watch);
  } finally {
    await plain.stop();
    await shown.stop();
  }
}
