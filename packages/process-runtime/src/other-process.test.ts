import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@nodeagent/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProcessRuntime } from './process-runtime.js';
import { isRunning, poll, startHarness } from './test-harness.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const agentFile = fileURLToPath(new URL('./test-agent.ts', import.meta.url));
const unprivilegedId = 65534;
const isRoot = process.getuid?.() === 0;

let folder: string;
let agent: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'process-runtime-'));
  chmodSync(folder, 0o777);
});
afterEach(async () => {
  if (agent?.exitCode === null && agent.signalCode === null) {
    const exit = once(agent, 'exit');
    agent.kill('SIGKILL');
    await exit;
  }
  agent = undefined;
  const last = createProcessRuntime({ root: join(folder, 'state'), clock: systemClock, leftoverGraceMs: 0 });
  await last.start();
  await last.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the test agent and returns its report of its container. */
async function runAgent(runAsUser: string, command: string[], uid?: number): Promise<Record<string, string>> {
  const args = ['--import', 'tsx', agentFile, join(folder, 'state'), runAsUser, ...command];
  agent = spawn(process.execPath, args, {
    cwd: repository,
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  if (agent.stdout === null) throw new Error('no output');
  const [line] = await once(createInterface(agent.stdout), 'line');
  return JSON.parse(String(line));
}

describe('an agent that is killed', () => {
  it('leaves containers that the next agent finds and kills', async () => {
    const script = `trap '' TERM PIPE; setsid sleep 1000 & echo $! > ${folder}/escaped; while :; do sleep 1000; done`;
    const { containerId = '', podSandboxId = '' } = await runAgent('', ['sh', '-c', script]);
    const record = JSON.parse(readFileSync(join(folder, 'state/containers', `${containerId}.json`), 'utf8'));
    const escaped = await poll(systemClock, () => Number(readIfThere(join(folder, 'escaped'))) || undefined);
    const exit = once(agent as ChildProcess, 'exit');
    const rival = createProcessRuntime({ root: join(folder, 'state'), clock: systemClock });
    await expect(rival.start()).rejects.toMatchObject({ code: 'RuntimeRootLocked', details: { pid: agent?.pid } });
    agent?.kill('SIGKILL');
    await exit;
    expect([record.process.pid, escaped].map(isRunning)).toEqual([true, true]);

    const next = createProcessRuntime({ root: join(folder, 'state'), clock: systemClock, leftoverGraceMs: 50 });
    await next.start();
    expect([record.process.pid, escaped].map(isRunning)).toEqual([false, false]);
    expect((await next.runtime.containerStatus({ containerId })).status).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 137 });
    expect((await next.runtime.podSandboxStatus({ podSandboxId })).status?.state).toBe('SANDBOX_READY');
    await next.stop();
  });
});

if (!isRoot) console.log('skipped: processes of other users on the embedded runtime, because only root can start them');

describe.runIf(isRoot)('an agent that does not run as root', () => {
  it('runs containers as its user', async () => {
    expect(await runAgent('', ['sleep', '1000'], unprivilegedId)).toMatchObject({ user: `${unprivilegedId}` });
  });

  it('rejects containers of another user', async () => {
    expect((await runAgent('0', ['sleep', '1000'], unprivilegedId)).error).toMatch(
      /run_as_user: container "c" asks for user 0 and group 0, but the embedded runtime runs as user 65534/,
    );
  });
});

describe.runIf(isRoot)('an agent that runs as root', () => {
  it('runs a container as another user, who can open its output by name', async () => {
    const harness = await startHarness();
    const linux = { securityContext: { runAsUser: { value: BigInt(unprivilegedId) }, runAsGroup: { value: 12n } } };
    const id = await harness.run(['sh', '-c', 'id -u > /dev/stdout; id -g; id -G; sleep 1000'], { linux });
    expect(await harness.logged(id, 3)).toEqual(['stdout F 65534', 'stdout F 12', 'stdout F 12']);
    expect((await harness.exec(id, ['id', '-u'])).stdout).toBe('65534\n');
    expect((await harness.status(id)).user?.linux).toMatchObject({ uid: 65534n, gid: 12n });
    await harness.clean();
  });
});

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
