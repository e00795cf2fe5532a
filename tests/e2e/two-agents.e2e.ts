import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCriClient } from '@nodeagent/cri-client';
import { beforeAll, expect, it } from 'vitest';
import { type AgentProcess, lastLines, startAgent } from '../support/agent/agent-process.js';
import { cgroupRootOf } from '../support/agent/cgroup-roots.js';
import { createWorkspace, type Workspace } from '../support/agent/workspace.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const podCount = 3;
/** Several rounds of housekeeping: an agent that takes pods for orphans has killed them by then. */
const watchMs = 6_000;

describeOnRuntimes('two agents', ['2', '1.6'], (testRuntime) => {
  /** An agent with its pods, on its own runtime or that of another one. */
  interface Node {
    work: Workspace;
    runtime: PrivateRuntime;
    cri: ReturnType<typeof createCriClient>;
    agent?: AgentProcess;
  }
  let first: Node;
  let second: Node;
  let kubelet: ChildProcess | undefined;

  async function createNode(name: string): Promise<Node> {
    const runtime = await testRuntime.start();
    return { work: createWorkspace(name), runtime, cri: createCriClient({ endpoint: runtime.endpoint }) };
  }
  const start = (node: Node, flags: readonly string[] = [], prefix: readonly string[] = []) => {
    node.agent = startAgent([...node.work.flags, '--runtime-endpoint', node.runtime.endpoint, ...flags], { prefix });
    return node.agent;
  };
  const running = async ({ cri }: Node) =>
    (await cri.runtime.listContainers({ filter: { state: { state: 'CONTAINER_RUNNING' } } })).containers.map(({ id }) => id).sort();
  const podsOf = async (node: Node) => (await cri(node)).map(({ metadata }) => metadata?.name ?? '');
  const cri = async (node: Node) => (await node.cri.runtime.listPodSandbox({ filter: { state: { state: 'SANDBOX_READY' } } })).items;
  const addPod = ({ work }: Node, name: string) =>
    work.write(
      `${name}.yaml`,
      `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - { name: main, image: ${testImage}, imagePullPolicy: IfNotPresent, command: [sleep, infinity] }
`,
    );

  /** How many of these containers no longer run at some time while `watchMs` pass, and after how long the last of them ended. */
  async function watchKilled(node: Node, ids: readonly string[]): Promise<{ killed: number; seconds: number }> {
    const started = Date.now();
    const ended = new Set<string>();
    let seconds = 0;
    while (Date.now() - started < watchMs) {
      const now = await running(node);
      for (const id of ids) {
        if (now.includes(id) || ended.has(id)) continue;
        ended.add(id);
        seconds = Math.round((Date.now() - started) / 100) / 10;
      }
      await sleep(100);
    }
    console.log(
      `containers of the other agent killed within ${watchMs / 1000} s: ${ended.size} of ${ids.length}, the last after ${seconds} s`,
    );
    return { killed: ended.size, seconds };
  }

  /** Starts the second agent, which must refuse to start with this text while the first one's containers run on. */
  async function expectRefusal(text: RegExp, startSecond: () => AgentProcess): Promise<void> {
    const ids = await running(first);
    const agent = startSecond();
    const { killed } = await watchKilled(first, ids);
    expect(killed).toBe(0);
    expect([await agent.exited, lastLines(agent.lines)]).toEqual([1, expect.stringMatching(text)]);
  }

  beforeAll(async () => {
    first = await createNode('first');
    second = await createNode('second');
    for (let index = 0; index < podCount; index++) addPod(first, `pod-${index}`);
    start(first);
    await until('the pods of the first agent', async () => (await running(first)).length === podCount);
  });
  cleanUpAfterAll({
    'the stand-in of a kubelet': () => kubelet?.kill('SIGKILL'),
    'the agents': () => Promise.all([first, second].map((node) => node?.agent?.end('SIGKILL'))),
    'the first runtime': () => first?.runtime.cleanup(),
    'the second runtime': () => second?.runtime.cleanup(),
    'the folders': () => [first, second].map((node) => node?.work.remove()),
  });
  const firstRoot = () => `/${cgroupRootOf(first.work.root)}`;

  it('on two runtimes with the same cgroup root: the second one is refused and names the first', async () => {
    const text = new RegExp(
      `--cgroup-root: the cgroup .*${firstRoot()}/kubepods.* is in use by another agent, process ${first.agent?.pid}`,
    );
    await expectRefusal(text, () => start(second, ['--cgroup-root', firstRoot()]));
  });

  it('on one runtime: the second one is refused, whatever its cgroup root', async () => {
    const text = new RegExp(`--runtime-endpoint: .* is in use by another agent, process ${first.agent?.pid}`);
    await expectRefusal(text, () => start(second, ['--runtime-endpoint', first.runtime.endpoint]));
  });

  it('that cannot see their locks: each leaves what the other runs, and cleans up after its own pods', async () => {
    addPod(second, 'own');
    const ids = await running(first);
    // As in containers: with an own /run, in which there is no lock of the first agent.
    const ownRun = ['unshare', '--mount', 'sh', '-c', 'mkdir -p /run/nodeagent && mount -t tmpfs locks /run/nodeagent && exec "$@"', 'sh'];
    const agent = start(second, ['--cgroup-root', firstRoot()], ownRun);
    const { killed } = await watchKilled(first, ids);
    expect(killed).toBe(0);
    await until('the pod of the second agent', async () => (await podsOf(second)).includes('own-second'));
    const left = agent.lines.filter(({ msg }) => msg.startsWith(`leaving the cgroup ${firstRoot()}/kubepods/besteffort/pod`));
    expect(left).toHaveLength(podCount);

    const own = await running(second);
    second.work.delete('own.yaml');
    await until('the pod of the second agent to be removed', async () => !(await running(second)).some((id) => own.includes(id)));
    expect(await running(first)).toEqual(ids);
    await agent.end('SIGKILL');
  });

  it('after a kill of the first one the second one starts, and the containers of the first one run on', async () => {
    const ids = await running(first);
    await first.agent?.end('SIGKILL');
    addPod(second, 'next');
    const agent = start(second, ['--cgroup-root', firstRoot()]);
    await until('the pod of the second agent', async () => (await podsOf(second)).includes('next-second'));
    expect((await watchKilled(first, ids)).killed).toBe(0);
    expect(await agent.end('SIGTERM')).toBe(0);
    start(first);
    await sleep(5_000);
    expect(await running(first)).toEqual(ids);
  });

  it('of which one is a kubelet: an agent with its cgroup root or its runtime is refused', async () => {
    // A stand-in: a kubelet is recognised by the name of its program.
    const program = join(second.work.dir, 'kubelet');
    copyFileSync('/bin/sleep', program);
    kubelet = spawn(program, ['1000'], { stdio: 'ignore' });
    await until('the stand-in', async () => readFileSync(`/proc/${kubelet?.pid}/comm`, 'utf8').trim() === 'kubelet');
    const by = `is in use by a kubelet, process ${kubelet.pid}`;
    await expectRefusal(new RegExp(`--cgroup-root: the cgroup .*/kubepods.* ${by}`), () => start(second, ['--cgroup-root', '/']));
    const endpoint = 'unix:///run/containerd/containerd.sock';
    await expectRefusal(new RegExp(`--runtime-endpoint: ${endpoint} ${by}`), () => start(second, ['--runtime-endpoint', endpoint]));

    const ended = once(kubelet, 'exit');
    kubelet.kill('SIGKILL');
    await ended;
  });
});
