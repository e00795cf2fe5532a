import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dialUpgrade, openHeaders, openRemoteCommand } from '@nodeagent/streaming';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { canRunStreams, createTestMachine } from '../test-machine.js';

const requested = { stdin: true, stdout: true, stderr: true, tty: false };

async function attach(url: string) {
  const answered = await dialUpgrade({ target: new URL(url), method: 'POST', headers: openHeaders });
  if (answered.socket === undefined) throw new Error(`${answered.answer.statusCode}`);
  const command = openRemoteCommand(answered, requested);
  command.stdout?.on('error', () => {});
  command.stderr?.on('error', () => {});
  command.stdin?.on('error', () => {});
  return command;
}

/** How many programs have the folder of a container as theirs: conmon, and one for each client. */
const programsIn = (folder: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  }).length;

it.runIf(canRunStreams)(
  'a container runs on when the agent is killed with a client attached, and the next agent serves clients',
  async () => {
    const machine = createTestMachine();
    const { folder } = machine;
    const program = join(folder, 'program.cjs');
    const entryPoint = fileURLToPath(new URL('test-attached-agent.ts', import.meta.url));
    await build({ entryPoints: [entryPoint], outfile: program, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
    const agent = spawn(process.execPath, [program, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [containerId = '', url = ''] = String((await once(agent.stdout, 'data'))[0])
      .trim()
      .split(' ');
    const first = await attach(url);
    first.stdin?.write('one\n');
    expect(String((await once(first.stdout ?? agent, 'data'))[0])).toBe('got one\n');
    const bundle = join(folder, 'state/containers', containerId);
    expect(programsIn(bundle)).toBe(2);
    agent.kill('SIGKILL');
    expect(await first.ended).toBe('');
    first.close();
    await expect.poll(() => programsIn(bundle)).toBe(1);

    const { start, stop, runtime } = machine.create();
    await start();
    expect((await runtime.containerStatus({ containerId })).status?.state).toBe('CONTAINER_RUNNING');
    const second = await attach((await runtime.attach({ containerId, ...requested })).url);
    second.stdin?.write('two\n');
    expect(String((await once(second.stdout ?? agent, 'data'))[0])).toBe('got two\n');
    second.close();
    for (const { id } of (await runtime.listPodSandbox({})).items) await runtime.removePodSandbox({ podSandboxId: id });
    await stop();
    machine.remove();
  },
);
