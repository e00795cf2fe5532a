import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type AgentProcess, command, type ProcessOptions, startAgent } from '../support/agent/agent-process.js';
import { expectRejections } from '../support/agent/unfit-pods.js';
import { createWorkspace, shellPod, type Workspace } from '../support/agent/workspace.js';
import { startCsiDriver } from '../support/csi-driver/csi-driver.js';
import { until } from '../support/until.js';

const examples = ['hello', 'with-sidecar', 'restarting', 'steady'];
/** Runs until SIGTERM, and exits immediately. */
const untilSignal = 'trap "exit 0" TERM; sleep infinity & wait $!';

describe('the embedded runtime in the agent', () => {
  let work: Workspace;
  beforeEach(() => {
    work = createWorkspace();
    // Not in afterEach, which runs before the agent is killed.
    onTestFinished(() => work.remove());
  });

  const launch = (flags: string[] = [], options: ProcessOptions = {}): AgentProcess => {
    const agent = startAgent([...work.flags, ...flags], options);
    onTestFinished(async () => {
      await agent.end('SIGKILL');
      for (const pid of work.containerProcesses()) process.kill(pid, 'SIGKILL');
    });
    return agent;
  };
  const running = (agent: AgentProcess, name: string, from = 0) =>
    agent.line(`${name} Running`, ({ pod, msg }) => pod === `default/${name}-e2e` && msg === 'phase Running', { from });
  const nothingIsLeft = () => {
    expect(work.containerProcesses()).toEqual([]);
    expect(work.podFolders()).toEqual([]);
  };

  it('runs every example pod, and Ctrl-C stops them and leaves nothing', async () => {
    work.useExamplePods();
    const agent = launch();
    for (const name of examples) await running(agent, name);
    expect(agent.lines.filter(({ msg }) => msg.includes(work.manifests) && msg.includes(join(work.root, 'logs')))).toHaveLength(1);
    expect(await agent.end('SIGINT')).toBe(0);
    expect(agent.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    for (const name of examples)
      expect(agent.lines).toContainEqual(expect.objectContaining({ pod: `default/${name}-e2e`, msg: 'removed' }));
    nothingIsLeft();
  });

  it('stops the containers of a pod in order and gives them their grace', async () => {
    const note = (text: string, after: string) =>
      `trap "sleep ${after}; echo ${text} >> ${work.dir}/order; exit 0" TERM; while true; do sleep 0.1; done`;
    const sidecar = `  initContainers:
    - name: sidecar
      image: host:1
      restartPolicy: Always
      command: [sh, -c, ${JSON.stringify(note('sidecar', '0'))}]
`;
    work.write('pod.yaml', shellPod('ordered', note('main', '1'), sidecar));
    const agent = launch();
    await running(agent, 'ordered');
    expect(await agent.end('SIGTERM')).toBe(0);
    expect(work.read('order')).toBe('main\nsidecar\n');
    nothingIsLeft();
  });

  it('a second Ctrl-C ends it at once with 130 although a container ignores TERM', async () => {
    const spec = '  terminationGracePeriodSeconds: 60\n';
    work.write('pod.yaml', shellPod('stubborn', 'trap "" TERM; while true; do sleep 1; done', '').replace(/ {2}termination.*\n/, spec));
    const agent = launch();
    await running(agent, 'stubborn');
    agent.signal('SIGINT');
    await agent.line('stopping', ({ msg }) => msg.startsWith('Killing'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const before = Date.now();
    expect(await agent.end('SIGINT')).toBe(130);
    expect(Date.now() - before).toBeLessThan(3_000);
    expect(work.containerProcesses()).toEqual([]);
  });

  it('a Ctrl-C during the start stops it normally', async () => {
    work.useExamplePods();
    const agent = launch();
    await agent.line('the first line', () => true);
    expect(await agent.end('SIGINT')).toBe(0);
    nothingIsLeft();
  });

  it('applies changes of manifests immediately and keeps a pod whose manifest becomes invalid', async () => {
    work.write('pod.yaml', shellPod('edited', `echo one >> ${work.dir}/runs; ${untilSignal}`));
    const agent = launch(['--file-check-frequency', '10m']);
    await running(agent, 'edited');

    let from = agent.lines.length;
    work.write('pod.yaml', shellPod('edited', `echo two >> ${work.dir}/runs; ${untilSignal}`));
    await running(agent, 'edited', from);
    await until('the new command', async () => work.read('runs') === 'one\ntwo\n');

    from = agent.lines.length;
    const pids = work.containerProcesses();
    const good = shellPod('edited', `echo two >> ${work.dir}/runs; ${untilSignal}`);
    work.write('pod.yaml', `${good}---\n${shellPod('second', untilSignal).replace('image: host:1', 'imago: host:1')}`);
    const isError = ({ level }: { level: string }) => level === 'error';
    const { err } = await agent.line('the error', isError, { from });
    expect(err).toContain(join(work.manifests, 'pod.yaml'));
    expect(err).toContain('document 2');
    expect(err).toContain('spec.containers[0].image');
    expect(err).not.toContain('\n');
    expect(agent.lines.slice(from).filter(isError)).toHaveLength(1);

    from = agent.lines.length;
    work.write('pod.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: [');
    await agent.line('the error', isError, { from });
    expect(work.containerProcesses()).toEqual(pids);

    from = agent.lines.length;
    work.write('pod.yaml', `${good}---\n${shellPod('second', untilSignal)}`);
    await running(agent, 'second', from);
    expect(work.containerProcesses()).toEqual(expect.arrayContaining(pids));
    expect(work.read('runs')).toBe('one\ntwo\n');

    from = agent.lines.length;
    work.delete('pod.yaml');
    await agent.line('both removed', ({ msg, pod }) => msg === 'removed' && pod === 'default/second-e2e', { from });
    await until('no process', async () => work.containerProcesses().length === 0);
  });

  it('reports the available images for an unknown one', async () => {
    work.write('pod.yaml', shellPod('nginx', untilSignal).replace('host:1', 'nginx:1'));
    work.write('other.yaml', shellPod('other', untilSignal));
    const agent = launch();
    const { msg } = await agent.line('the error', ({ level }) => level === 'warn');
    expect(msg).toContain('image "nginx:1" is not available in the embedded runtime, which has only "host"');
    expect(msg).toContain('--runtime-endpoint unix:///run/containerd/containerd.sock');
    await running(agent, 'other');
    expect(agent.lines.filter(({ level }) => level !== 'info')).toHaveLength(1);
    expect(await agent.end('SIGINT')).toBe(0);
  });

  it('rejects pods that do not fit the node, in the words of a kubelet, and runs none of them', async () => {
    const agent = launch(['--node-labels', 'disk=ssd']);
    await expectRejections(agent, work.manifests, 'host:1');
    expect(work.containerProcesses()).toHaveLength(1);
    expect(await agent.end('SIGINT')).toBe(0);
    nothingIsLeft();
  });

  it('registers a plugin while a pod runs', async () => {
    work.write('pod.yaml', shellPod('beside', untilSignal));
    // The test runner's own, in which packages find what they do not depend on.
    const { NODE_PATH: _, ...env } = process.env;
    const agent = launch([], { env });
    await running(agent, 'beside');
    const driver = await startCsiDriver('e2e.csi.nodeagent', join(work.dir, 'driver'), work.root);
    onTestFinished(() => driver.kill());
    await agent.line('the registration', ({ msg, plugin }) => msg === 'plugin registered' && plugin === 'e2e.csi.nodeagent');
    expect(agent.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('clears away what a killed agent left and runs the pods again', async () => {
    work.useExamplePods();
    const killed = launch();
    for (const name of examples) await running(killed, name);
    await killed.end('SIGKILL');
    const leftovers = work.containerProcesses();
    expect(leftovers.length).toBeGreaterThanOrEqual(6);

    const agent = launch();
    for (const name of examples) await running(agent, name);
    await until('no leftovers', async () => work.containerProcesses().every((pid) => !leftovers.includes(pid)));
    expect(await agent.end('SIGINT')).toBe(0);
    nothingIsLeft();
  });

  it('runs no container twice whose record is damaged', async () => {
    work.write('pod.yaml', shellPod('damaged', untilSignal));
    const killed = launch();
    await running(killed, 'damaged');
    await killed.end('SIGKILL');
    const leftovers = work.containerProcesses();
    const records = join(work.root, 'runtime/containers');
    for (const name of readdirSync(records)) truncateSync(join(records, name), 100);

    const agent = launch();
    await running(agent, 'damaged');
    expect(work.containerProcesses().filter((pid) => leftovers.includes(pid))).toEqual([]);
    expect(await agent.end('SIGINT')).toBe(0);
    nothingIsLeft();
  });

  it('refuses a root folder that another agent uses', async () => {
    const agent = launch();
    await agent.line('ready', ({ msg }) => msg === 'container runtime ready');
    const other = spawnSync(process.execPath, [command, 'run', ...work.flags], { encoding: 'utf8' });
    expect(other.status).toBe(1);
    expect(other.stderr).toContain(`${work.root} is in use by another agent, process ${agent.pid}`);
    expect(other.stderr).toContain('--root-dir');
  });

  it('stops when the reader of its output exits', async () => {
    work.write('pod.yaml', shellPod('unread', untilSignal));
    const child = spawn(process.execPath, [command, 'run', '--output', 'log', ...work.flags], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    await until('a container', async () => work.containerProcesses().length > 0);
    child.stdout.destroy();
    work.write('pod.yaml', shellPod('unread-too', untilSignal));
    expect(await exited).toBe(0);
    nothingIsLeft();
  });

  it('runs every example pod as an ordinary user', async (context) => {
    const user: ProcessOptions = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const home = join(work.dir, 'home');
    mkdirSync(home);
    chmodSync(work.dir, 0o755);
    if (user.uid !== undefined) for (const dir of [work.dir, work.manifests, home]) chownSync(dir, user.uid, user.gid ?? 0);
    const env = { PATH: process.env.PATH, HOME: home };
    if (spawnSync(process.execPath, [command, 'version'], { ...user, env }).status !== 0) {
      console.log('skipped: the embedded runtime as an ordinary user, because that user may not read this checkout');
      return context.skip();
    }
    work.useExamplePods();
    const agent = startAgent(['--manifests', work.manifests, '--node-name', 'e2e'], { ...user, env });
    onTestFinished(async () => void (await agent.end('SIGKILL')));
    for (const name of examples) await running(agent, name);
    expect(work.containerProcesses().length).toBeGreaterThan(0);
    expect(agent.lines.some(({ msg }) => msg.includes(join(home, '.local/state/nodeagent/logs')))).toBe(true);
    expect(await agent.end('SIGINT')).toBe(0);
    expect(work.containerProcesses()).toEqual([]);
  });

  it('draws a table on a terminal and leaves the last state on it', async (context) => {
    if (spawnSync('script', ['--version']).status !== 0) {
      console.log('skipped: the table on a real terminal, because there is no script(1) of util-linux');
      return context.skip();
    }
    work.write('pod.yaml', shellPod('shown', untilSignal));
    const line = [process.execPath, command, 'run', ...work.flags].join(' ');
    const child = spawn('script', ['-qefc', `stty cols 100 rows 24; exec ${line}`, '/dev/null'], {
      env: { ...process.env, TERM: 'xterm' },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    await until('the table', async () => /default\/shown-e2e {2}1\/1 .*Running.* 0s ago Started/.test(output));
    child.stdin.write('\x03');
    expect(await exited).toBe(0);
    expect(output).toContain('stopping all pods within their grace periods');
    const last = output.slice(output.lastIndexOf('\x1b[?25l'));
    expect(last).toMatch(/all pods have stopped[\s\S]*shown-e2e[\s\S]*Stopped/);
    expect(last).toContain('\x1b[?25h');
    nothingIsLeft();
  });
});
