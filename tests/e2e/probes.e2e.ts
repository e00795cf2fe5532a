import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Probe, systemClock } from '@nodeagent/api';
import { type CriServices, createNodeAgent, type NodeAgent } from '@nodeagent/core/node';
import { createCriClient } from '@nodeagent/cri-client';
import { createProcessRuntime } from '@nodeagent/process-runtime';
import { buildPod, createManualSource } from '@nodeagent/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanUpAfterAll, endPods } from '../support/cleanup.js';
import { freePort } from '../support/free-port.js';
import { removeFolder } from '../support/remove-folder.js';
import { describeOnEachRuntime } from '../support/runtimes/describe-on-runtimes.js';
import { testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

/** A runtime for this test, and the image whose shell it has. */
interface Node {
  cri: CriServices;
  image: string;
  /** Address on which a container's server is asked. Default: the pod's. */
  host?: string;
  end(): Promise<void>;
}

function probesSuite(open: (work: string) => Promise<Node>): void {
  const source = createManualSource([], { name: 'api' });
  const recorded: { at: number; pod: string; what: string }[] = [];
  let work: string;
  let port: number;
  let node: Node;
  let agent: NodeAgent;

  const exec = (file: string, more: Probe = {}): Probe => ({
    exec: { command: ['cat', file] },
    periodSeconds: 1,
    timeoutSeconds: 5,
    ...more,
  });
  const pod = (name: string, script: string, probes: Record<string, Probe>) => {
    const command = [
      'sh',
      '-c',
      `d=${node.host ? `${work}/${name}` : '/tmp'}; mkdir -p $d; cd $d; ${script}; trap "exit 0" TERM; while :; do sleep 0.1; done`,
    ];
    const container = { name: 'c', image: node.image, imagePullPolicy: 'IfNotPresent', command, ...probes };
    return buildPod({ name, terminationGracePeriodSeconds: 2, containers: [container] });
  };
  const at = (pod: string, what: RegExp) => recorded.filter((each) => each.pod === pod && what.test(each.what)).map((each) => each.at);
  const statusOf = (pod: string) => agent.pods().find((each) => each.pod.metadata?.name === pod)?.status;
  /** Runs a command in the pod's container. */
  const run = async (pod: string, ...cmd: string[]) => {
    const { runtime } = node.cri;
    const { containers } = await runtime.listContainers({ filter: { labelSelector: { 'io.kubernetes.pod.name': pod } } });
    await runtime.execSync({ containerId: containers[0]?.id ?? '', cmd, timeout: 10n });
  };
  /** Path of a file in the pod's folder. */
  const fileOf = (pod: string, file: string) => (node.host ? `${work}/${pod}/${file}` : `/tmp/${file}`);

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'nodeagent-probes-'));
    port = await freePort();
    node = await open(work);
    agent = createNodeAgent({
      nodeName: 'probes',
      sources: [source],
      cri: node.cri,
      rootDir: join(work, 'root'),
      podLogsDir: join(work, 'logs'),
    });
    const note = (pod: string | undefined, what: string) => void recorded.push({ at: performance.now(), pod: pod ?? '', what });
    agent.on('event', ({ object, reason, message }) => note(object.name, `${reason} ${message}`));
    agent.on('status', ({ metadata }, { conditions }) => {
      note(metadata?.name, `Ready=${conditions?.find(({ type }) => type === 'Ready')?.status}`);
    });
    await agent.start();
    await agent.ready;
    const httpGet = { path: '/ready', port, ...(node.host && { host: node.host }) };
    source.set([
      pod('dies', 'touch ok; sleep 5; rm ok', { livenessProbe: exec(fileOf('dies', 'ok'), { failureThreshold: 2 }) }),
      pod('flips', `busybox httpd -p ${port}`, {
        readinessProbe: { httpGet, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 2 },
      }),
      pod('slow', 'sleep 6; touch ok', {
        startupProbe: exec(fileOf('slow', 'ok'), { failureThreshold: 30 }),
        livenessProbe: exec(fileOf('slow', 'ok'), { failureThreshold: 1 }),
      }),
    ]);
  });

  cleanUpAfterAll({
    'the pods': () => agent && endPods(agent),
    'the agent': () => agent?.stop(),
    'the runtime': () => node?.end(),
    'the folder': () => removeFolder(work),
  });

  it('restarts a container when its liveness probe has failed twice, a second apart, and at once then', async () => {
    await until('the restart', async () => statusOf('dies')?.containerStatuses?.[0]?.restartCount === 1);
    const [started = 0] = at('dies', /^Started/);
    const [killed = 0] = at('dies', /^Killing Container c failed liveness probe, will be restarted$/);
    const failures = at('dies', /^Unhealthy Liveness probe failed/);
    expect(failures).toHaveLength(2);
    // The file is removed after 5 s; the first failure follows within a period, the second a period later. The agent notes a
    // start after it, and on a busy machine one attempt takes longer than the next.
    expect(((failures[0] ?? 0) - started) / 1000).toBeGreaterThan(4.5);
    expect(((failures[1] ?? 0) - (failures[0] ?? 0)) / 1000).toBeGreaterThan(0.5);
    expect((killed - started) / 1000).toBeLessThan(8);
    expect(killed - (failures[1] ?? 0)).toBeLessThan(1_000);
    expect(statusOf('dies')?.containerStatuses?.[0]?.restartCount).toBe(1);
  });

  it('lets Ready come, go and come back with the answers of a server in the pod, and restarts nothing', async () => {
    const flips = () =>
      recorded
        .filter(({ pod, what }) => pod === 'flips' && what.startsWith('Ready='))
        .map(({ what }) => what.slice('Ready='.length))
        .filter((value, index, all) => value !== all[index - 1]);
    const turns: string[] = ['False'];
    await until('the start', async () => at('flips', /^Started/).length > 0);
    for (const [command, ready] of [
      ['touch', 'True'],
      ['rm', 'False'],
      ['touch', 'True'],
    ] as const) {
      await run('flips', command, fileOf('flips', 'ready'));
      turns.push(ready);
      await until(`Ready=${ready} after ${command}`, async () => flips().length >= turns.length).catch(() =>
        expect(flips()).toEqual(turns),
      );
    }
    expect(flips()).toEqual(turns);
    expect(statusOf('flips')?.containerStatuses?.[0]).toMatchObject({ ready: true, restartCount: 0 });
    expect(at('flips', /^Unhealthy Readiness probe failed: HTTP probe failed with statuscode: 404$/).length).toBeGreaterThanOrEqual(2);
  });

  it('leaves a slow starter alone until its startup probe has succeeded', async () => {
    await until('it to be ready', async () => at('slow', /^Ready=True$/).length > 0);
    const [started = 0] = at('slow', /^Started/);
    const [ready = 0] = at('slow', /^Ready=True$/);
    expect((ready - started) / 1000).toBeGreaterThan(5.5);
    await sleep(2_000);
    expect(at('slow', /^(Killing|Unhealthy Liveness)/)).toEqual([]);
    expect(statusOf('slow')?.containerStatuses?.[0]).toMatchObject({ started: true, restartCount: 0 });
  });
}

describe('probes on the embedded runtime', () =>
  probesSuite(async (work) => {
    const runtime = createProcessRuntime({ root: join(work, 'runtime'), clock: systemClock });
    await runtime.start();
    return { cri: runtime, image: 'host:1', host: '127.0.0.1', end: () => runtime.stop() };
  }));

describeOnEachRuntime('probes', (testRuntime) =>
  probesSuite(async () => {
    const runtime = await testRuntime.start();
    const cri = createCriClient({ endpoint: runtime.endpoint });
    const end = async () => {
      cri.close();
      await runtime.cleanup();
    };
    return { cri, image: testImage, end };
  }),
);
