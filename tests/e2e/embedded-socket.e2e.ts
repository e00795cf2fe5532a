import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentProcess, startAgent, startCommand } from '../support/agent/agent-process.js';
import { createWorkspace, shellPod, type Workspace } from '../support/agent/workspace.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { until } from '../support/until.js';

const initContainers = `  initContainers:
    - name: prepare
      image: host:1
      command: ['true']
    - name: sidecar
      image: host:1
      restartPolicy: Always
      command: [sleep, infinity]
`;

/** The tests depend on each other: each continues where the previous one stopped. */
describe('the embedded runtime as a separate process', () => {
  let work: Workspace;
  let agent: AgentProcess;
  let runtime: AgentProcess | undefined;

  const socket = () => join(work.dir, 'cri.sock');
  const launchAgent = (...flags: string[]) => startAgent([...work.flags, '--runtime-endpoint', `unix://${socket()}`, ...flags]);
  const launchRuntime = async () => {
    runtime = startCommand(['runtime', '--type', 'process', '--socket', socket(), '--root-dir', join(work.dir, 'runtime')]);
    await runtime.line('the socket', ({ msg }) => msg.includes('serving CRI'));
  };
  const allRun = async (process: AgentProcess, from = 0) => {
    for (const name of ['plain', 'with-sidecar']) {
      await process.line(`${name} Running`, ({ pod, msg }) => pod === `default/${name}-e2e` && msg === 'phase Running', { from });
    }
  };
  const later = <T>(ask: () => T) => new Promise<T>((resolve) => setTimeout(() => resolve(ask()), 500));

  beforeAll(() => {
    work = createWorkspace();
    work.write(
      'pods.yaml',
      [shellPod('plain', 'exec sleep infinity'), shellPod('with-sidecar', 'exec sleep infinity', initContainers)].join('---\n'),
    );
  });
  cleanUpAfterAll({
    'the agent': () => agent?.end('SIGKILL'),
    'the runtime': () => runtime?.end('SIGKILL'),
    'the folder': () => work?.remove(),
  });

  it('logs that the runtime is unavailable, retries, and runs the pods once the runtime responds', async () => {
    agent = launchAgent();
    const { err, hint } = await agent.line('a word about the runtime', ({ level }) => level === 'warn' || level === 'error');
    expect(`${err} ${hint}`).toContain(socket());
    expect(`${err} ${hint}`).toContain('Start the container runtime');
    await later(() => {});
    await launchRuntime();
    await allRun(agent);
    expect(agent.lines.filter(({ level }) => level === 'error').length).toBeLessThanOrEqual(1);
  });

  it('SIGKILL of the agent and a new start restart no container', async () => {
    const before = work.containerProcesses();
    expect(before).toHaveLength(3);
    await agent.end('SIGKILL');
    expect(work.containerProcesses()).toEqual(before);
    agent = launchAgent();
    await allRun(agent);
    await later(() => {});
    expect(work.containerProcesses()).toEqual(before);
    expect(agent.lines.filter(({ msg }) => /^(Started|Killing)/.test(msg))).toEqual([]);
  });

  it('a runtime that restarts after a kill runs the pods again', async () => {
    const before = work.containerProcesses();
    const from = agent.lines.length;
    await runtime?.end('SIGKILL');
    await agent.line('a word about the runtime', ({ level }) => level === 'warn' || level === 'error', { from });
    await launchRuntime();
    await until(
      'new processes in place of all',
      async () => {
        const now = work.containerProcesses();
        return now.length === before.length && now.every((pid) => !before.includes(pid));
      },
      40_000,
    );
  });

  it('SIGTERM stops the agent and leaves the containers, and --stop-pods-on-exit stops them', async () => {
    const before = work.containerProcesses();
    expect(await agent.end('SIGTERM')).toBe(0);
    expect(work.containerProcesses()).toEqual(before);

    agent = launchAgent('--stop-pods-on-exit');
    await allRun(agent);
    expect(await agent.end('SIGTERM')).toBe(0);
    expect(work.containerProcesses()).toEqual([]);
    expect(work.podFolders()).toEqual([]);
  });

  it('SIGTERM stops the runtime and its containers', async () => {
    agent = launchAgent();
    await allRun(agent);
    expect(await runtime?.end('SIGTERM')).toBe(0);
    expect(work.containerProcesses()).toEqual([]);
    expect(await agent.end('SIGTERM')).toBe(0);
  });
});
