import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { command, startAgent } from '../support/agent/agent-process.js';
import { createWorkspace, shellPod, type Workspace } from '../support/agent/workspace.js';
import { until } from '../support/until.js';

let work: Workspace;
beforeEach(() => {
  work = createWorkspace();
  // Not in afterEach, which runs before the agent is killed.
  onTestFinished(() => work.remove());
});

const ask = (rootDir: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args, '--root-dir', rootDir], { encoding: 'utf8' });
  return { code: status, stdout, stderr };
};

const start = (flags: string[]) => {
  const agent = startAgent(flags);
  onTestFinished(async () => {
    await agent.end('SIGKILL');
    for (const pid of work.containerProcesses()) process.kill(pid, 'SIGKILL');
  });
  return agent;
};

/** The time in a line of a description. */
const timeIn = (text: string, line: RegExp) => Date.parse(line.exec(text)?.[1] ?? '');

it('nodeagent describe shows why a crashing pod waits and the correct time of its next start', async () => {
  work.write('pod.yaml', shellPod('crash', `date +%s >> ${work.dir}/starts; exit 3`));
  const agent = start(work.flags);
  const starts = () => work.read('starts').trim().split('\n').map(Number);
  const text = await until('the back-off', async () => {
    const { stdout } = ask(work.root, 'describe', 'crash');
    return stdout.includes('Back-Off:') && stdout;
  });

  expect(text).toMatch(/^Name: +crash-e2e\nNamespace: +default\nUID: +[0-9a-f]+\nNode: +e2e \(embedded runtime\)\nSource: +file\n/);
  expect(text).toMatch(/\n {4}Last State: +Terminated\n {6}Reason: +Error\n {6}Exit Code: +3\n/);
  expect(text).toMatch(/\n {4}Restart Count: +1\n/);
  expect(text).toMatch(
    /\nWorker:\n {2}State: +SyncPod: .*\n {2}Last Sync: +\S+Z \(\d+s ago\), failed after \S+\n {4}Event: +ContainerDied: container main\n {4}Decision:\n {6}start main: +it exited with 3 and its restart policy restarts it\n {4}Error: +back-off 10s restarting failed container=main/,
  );
  expect(text).toMatch(/\n {2}Warning +BackOff +\d+s .*main +Back-off restarting failed container main/);

  const backOffEnds = timeIn(text, /Back-Off: +main: CrashLoopBackOff until (\S+) \(in \d+s\)/);
  const nextRetry = timeIn(text, /Next Retry: +(\S+) \(in \d+s\)/);
  expect(starts()).toHaveLength(2);
  expect(Math.abs(backOffEnds / 1_000 - (starts()[1] ?? 0) - 10)).toBeLessThanOrEqual(2);
  expect(nextRetry).toBeGreaterThanOrEqual(backOffEnds);
  await until('the next start', async () => starts().length === 3);
  expect(Math.abs((starts()[2] ?? 0) - nextRetry / 1_000)).toBeLessThanOrEqual(2);

  const answer = JSON.parse(ask(work.root, 'describe', 'default/crash', '--output', 'json').stdout);
  expect(answer.worker).toMatchObject({ state: 'SyncPod', lastChange: { reasons: [{ action: 'start', target: 'main' }] } });
  expect(ask(work.root, 'pods').stdout).toMatch(/^POD .*\ndefault\/crash-e2e +0\/1 /);
  expect(ask(work.root, 'describe', 'crahs')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error: no pod "crahs"; did you mean default/crash-e2e?\n  "nodeagent pods" lists the pods\n',
  });

  expect(statSync(join(work.root, 'agent.sock')).mode & 0o777).toBe(0o600);
  expect(await agent.end('SIGTERM')).toBe(0);
  expect(existsSync(join(work.root, 'agent.sock'))).toBe(false);
  expect(ask(work.root, 'describe', 'crash')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `no agent answers on ${work.root}/agent.sock\n  start one with "nodeagent run --root-dir ${work.root}"`,
    ),
  });
});

it('an agent that cannot serve its socket logs that and runs its pods', async () => {
  mkdirSync(join(work.root, 'agent.sock'), { recursive: true });
  work.write('pod.yaml', shellPod('quiet', 'trap "exit 0" TERM; sleep infinity & wait $!'));
  const agent = start(work.flags);
  const warning = await agent.line('the warning', ({ level }) => level === 'warn');
  expect(warning.msg).toBe('cannot serve the local API: nodeagent pods, describe and other queries will fail');
  expect(warning.err).toContain(join(work.root, 'agent.sock'));
  await agent.line('quiet Running', ({ pod, msg }) => pod === 'default/quiet-e2e' && msg === 'phase Running');
  expect(await agent.end('SIGTERM')).toBe(0);
});

it('an agent replaces the socket of a killed one, also in a folder with a very long name', async () => {
  const root = join(work.dir, 'x'.repeat(100), 'y'.repeat(100));
  mkdirSync(root, { recursive: true });
  const flags = ['--runtime-endpoint', 'process', '--manifests', work.manifests, '--root-dir', root, '--node-name', 'e2e'];
  const lists = async () => ask(root, 'pods').code === 0;
  const first = start(flags);
  await until('the first agent', lists);
  await first.end('SIGKILL');
  expect(existsSync(join(root, 'agent.sock'))).toBe(true);
  expect(ask(root, 'pods')).toMatchObject({ code: 1, stderr: expect.stringContaining('no agent answers') });
  const second = start(flags);
  await until('the second agent', lists);
  expect(await second.end('SIGINT')).toBe(0);
  expect(existsSync(join(root, 'agent.sock'))).toBe(false);
});
