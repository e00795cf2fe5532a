import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const bin = fileURLToPath(new URL('../../packages/cli/src/bin.ts', import.meta.url));
/** A PID namespace as a container has; as an ordinary user in a user namespace, where the machine allows that. */
const namespaces = [
  ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'],
  ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'],
];
const [unshare] = namespaces.filter(([program = '', ...args]) => spawnSync(program, [...args, 'true']).status === 0);

/** An agent, in the root directory of all: resolves to the line that shows whether it runs. */
async function startAgent(folder: string, prefix: readonly string[]): Promise<{ child: ChildProcess; line: string }> {
  const flags = [
    '--port=0',
    '--healthz-port=0',
    '--runtime-endpoint=process',
    '--root-dir',
    join(folder, 'root'),
    '--pod-logs-dir',
    join(folder, 'logs'),
    '--manifests',
    folder,
  ];
  const [program = '', ...args] = [...prefix, process.execPath, '--import', 'tsx', bin, 'run', ...flags];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  // Its streams close once the agent itself has ended, after unshare: until then it writes to the folder.
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const line = await new Promise<string>((resolve) => {
    const check = (text: string) => /pods from|in use/.test(text) && resolve(text);
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', check);
  });
  return { child, line };
}

it.skipIf(unshare === undefined)(
  'two agents in different PID namespaces do not share a root directory, and a killed one leaves it (needs unshare --pid)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'attack-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const first = await startAgent(folder, unshare ?? []);
    expect(first.line).toContain('pods from');
    // Each is process 1 of its namespace.
    const second = await startAgent(folder, unshare ?? []);
    expect(second.line).toContain('in use by another agent, process 1 of another PID namespace');
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const next = await startAgent(folder, unshare ?? []);
    expect(next.line).toContain('pods from');
  },
);
