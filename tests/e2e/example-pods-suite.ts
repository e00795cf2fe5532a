import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Container } from '@nodeagent/cri-api';
import { createCriClient } from '@nodeagent/cri-client';
import { beforeAll, expect, it } from 'vitest';
import { type AgentProcess, startAgent } from '../support/agent/agent-process.js';
import { expectRejections, unfitPodNames } from '../support/agent/unfit-pods.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { removeFolder } from '../support/remove-folder.js';
import { firstProcessOf } from '../support/runtimes/container-processes.js';
import { type PrivateRuntime, type TestRuntime, testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const examplePods = ['pods', 'pods-with-volumes'].map((folder) => fileURLToPath(new URL(`../../examples/${folder}`, import.meta.url)));

/** What CI shows on a real runtime: the example pods run, are kept running, and survive the end of agent and daemon. */
export function examplePodsSuite(testRuntime: TestRuntime): void {
  let runtime: PrivateRuntime;
  let work: string;
  let manifests: string;
  let agent: AgentProcess;
  let cri: ReturnType<typeof createCriClient>;

  const launch = () =>
    startAgent([
      ...['--runtime-endpoint', runtime.endpoint, '--manifests', manifests, '--node-name', 'e2e'],
      ...['--root-dir', join(work, 'root'), '--pod-logs-dir', join(work, 'logs'), '--node-labels', 'disk=ssd'],
    ]);
  const containers = async (podName: string) =>
    (await cri.runtime.listContainers({ filter: { labelSelector: { 'io.kubernetes.pod.name': podName } } })).containers;
  const running = async (podName: string) => (await containers(podName)).filter(({ state }) => state === 'CONTAINER_RUNNING');
  const runningIds = async () => {
    const { containers: all } = await cri.runtime.listContainers({ filter: { state: { state: 'CONTAINER_RUNNING' } } });
    return all
      .filter(({ labels }) => labels['io.kubernetes.pod.name'] !== 'restarting-e2e')
      .map(({ id }) => id)
      .sort();
  };
  const restartCount = ({ annotations }: Container) => Number(annotations['io.kubernetes.container.restartCount']);
  const exampleRuns = async () =>
    (await running('hello-e2e')).length === 1 &&
    (await running('with-sidecar-e2e')).length === 2 &&
    (await running('steady-e2e')).length === 2 &&
    (await running('volumes-e2e')).length === 2;

  beforeAll(async () => {
    runtime = await testRuntime.start();
    // The OCI runtime of nodeagent has an image of that name.
    if (runtime.name !== 'oci') await runtime.addImage('docker.io/library/host:1');
    work = mkdtempSync(join(tmpdir(), 'nodeagent-e2e-'));
    manifests = join(work, 'manifests');
    mkdirSync(manifests);
    for (const folder of examplePods) cpSync(folder, manifests, { recursive: true });
    cri = createCriClient({ endpoint: runtime.endpoint });
    agent = launch();
  });

  // The agent leaves its pods running, and with them their volumes.
  cleanUpAfterAll({
    'the agent': () => agent?.end('SIGKILL'),
    'the CRI client': () => cri?.close(),
    'the runtime': () => runtime?.cleanup(),
    'the folder': () => removeFolder(work),
  });

  it('runs every example pod', async () => {
    for (const name of ['hello-e2e', 'with-sidecar-e2e', 'restarting-e2e', 'steady-e2e', 'volumes-e2e']) {
      await agent.line(`${name} Running`, ({ pod, msg }) => pod === `default/${name}` && msg === 'phase Running');
    }
    await until('the containers of the example pods', exampleRuns);
    expect((await containers('with-sidecar-e2e')).map(({ metadata }) => metadata?.name).sort()).toEqual(['main', 'prepare', 'sidecar']);
  });

  it('restarts a killed container immediately the first time, then only after 10 s', async () => {
    const [first] = await running('hello-e2e');
    if (first === undefined) throw new Error('hello does not run');
    const runsAgain = (attempt: number) =>
      until(`attempt ${attempt} of hello`, async () => (await running('hello-e2e')).find((each) => restartCount(each) === attempt));
    const backOffs = () => agent.lines.filter(({ pod, msg }) => pod === 'default/hello-e2e' && msg.startsWith('BackOff:')).length;
    process.kill(firstProcessOf(first.id), 'SIGKILL');
    const second = await runsAgain(1);
    expect(backOffs()).toBe(0);
    process.kill(firstProcessOf(second.id), 'SIGKILL');
    const before = Date.now();
    const third = await runsAgain(2);
    expect(backOffs()).toBeGreaterThan(0);
    expect(Date.now() - before).toBeGreaterThan(9_500);
    expect(restartCount(third)).toBe(2);
  });

  it('SIGKILL of the agent and a new start restart no container', async () => {
    const before = await runningIds();
    await agent.end('SIGKILL');
    agent = launch();
    await agent.line('hello adopted', ({ pod, msg }) => pod === 'default/hello-e2e' && msg === 'phase Running');
    await agent.line('steady adopted', ({ pod, msg }) => pod === 'default/steady-e2e' && msg === 'phase Running');
    await sleep(3_000);
    expect(await runningIds()).toEqual(before);
  });

  it('20 s without the runtime restart no container', async () => {
    const before = await runningIds();
    const from = agent.lines.length;
    await runtime.stop();
    const socket = runtime.endpoint.replace('unix://', '');
    await agent.line('a word about the runtime', ({ level, err }) => /warn|error/.test(level) && err?.includes(socket) === true, { from });
    await sleep(20_000);
    await runtime.start();
    await until('the runtime to answer', async () => (await cri.runtime.status({})).status !== undefined);
    await agent.line('the end of it', ({ msg }) => msg === 'container runtime responds again', { from });
    await sleep(5_000);
    expect(await runningIds()).toEqual(before);
  });

  it('an invalid manifest is reported with file and field, and its pod continues to run', async () => {
    const before = await runningIds();
    const from = agent.lines.length;
    writeFileSync(join(manifests, 'hello.yaml'), 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: hello\nspec:\n  containers: none\n');
    const { err } = await agent.line('the error', ({ err = '' }) => err.includes('hello.yaml') && err.includes('spec.containers'), {
      from,
    });
    expect(err?.split('\n')).toHaveLength(1);
    await sleep(2_000);
    expect(await runningIds()).toEqual(before);
  });

  it('a deleted manifest terminates its pod and leaves neither containers nor sandbox', async () => {
    rmSync(join(manifests, 'init-and-sidecar.yaml'));
    await until('the containers to go', async () => (await containers('with-sidecar-e2e')).length === 0, 90_000);
    await until(
      'the sandbox to go',
      async () => {
        const { items } = await cri.runtime.listPodSandbox({
          filter: { labelSelector: { 'io.kubernetes.pod.name': 'with-sidecar-e2e' } },
        });
        return items.length === 0;
      },
      90_000,
    );
    expect((await running('steady-e2e')).length).toBe(2);
  });

  it('rejects pods that do not fit the node, with the kubelet’s messages, and runs none of them', async () => {
    await expectRejections(agent, manifests, testImage);
    for (const name of unfitPodNames) expect(await containers(`${name}-e2e`)).toEqual([]);
    expect(await running('port-holder-e2e')).toHaveLength(1);
  });

  it('SIGTERM stops the agent with exit code 0 and leaves the containers running', async () => {
    const before = await runningIds();
    expect(await agent.end('SIGTERM')).toBe(0);
    expect(await runningIds()).toEqual(before);
    expect(before.length).toBeGreaterThan(0);
  });
}
