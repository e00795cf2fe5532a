import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, Volume } from '@nodeagent/api';
import { createNodeAgent, type NodeAgent } from '@nodeagent/core/node';
import { createCriClient } from '@nodeagent/cri-client';
import { createStatsProvider } from '@nodeagent/stats/node';
import { buildPod, createManualSource } from '@nodeagent/testing';
import { beforeAll, expect, it } from 'vitest';
import { cleanUpAfterAll, endPods } from '../support/cleanup.js';
import { removeFolder } from '../support/remove-folder.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const mib = 1n << 20n;

function pod(name: string, script: string, container: Partial<Container>, volumes: Volume[] = [], others: Container[] = []) {
  const command = ['sh', '-c', `${script}; exec sleep 1000`];
  const main: Container = { name: 'main', image: testImage, imagePullPolicy: 'IfNotPresent', command, ...container };
  return buildPod({ name, terminationGracePeriodSeconds: 0, volumes, containers: [main, ...others] });
}

const guaranteed = { requests: { cpu: '10m', memory: '64Mi' }, limits: { cpu: '10m', memory: '64Mi' } };
const calm = pod('calm', 'true', { resources: guaranteed });
const full = pod('full', 'head -c 30000000 /dev/zero > /data/zeros', { volumeMounts: [{ name: 'data', mountPath: '/data' }] }, [
  { name: 'data', emptyDir: { sizeLimit: '10Mi' } },
]);
const writer = pod('writer', 'head -c 30000000 /dev/zero > /zeros', { resources: { limits: { 'ephemeral-storage': '10Mi' } } });
/** Of its pod's limit, which is the sum of both, it is far away. */
const greedy = pod(
  'greedy',
  'head -c 30000000 /dev/zero > /zeros',
  { resources: { limits: { 'ephemeral-storage': '10Mi' } } },
  [],
  [
    {
      ...{ name: 'modest', image: testImage, imagePullPolicy: 'IfNotPresent', command: ['sleep', '1000'] },
      resources: { limits: { 'ephemeral-storage': '1Gi' } },
    },
  ],
);
const hog = pod('hog', 'head -c 3000000000 /dev/zero > /held/zeros', { volumeMounts: [{ name: 'held', mountPath: '/held' }] }, [
  { name: 'held', emptyDir: { medium: 'Memory' } },
]);

describeOnRuntimes('eviction', ['2', '1.6'], (testRuntime) => {
  const source = createManualSource([], { name: 'api' });
  let runtime: PrivateRuntime;
  let work: string;
  let cri: ReturnType<typeof createCriClient>;
  let agent: NodeAgent;

  const statusOf = (name: string) => agent.pods().find(({ pod: { metadata } }) => metadata?.name === name)?.status;
  const evicted = (name: string) =>
    until(`${name} to be evicted`, async () => {
      const status = statusOf(name);
      return status?.phase === 'Failed' && status.reason === 'Evicted' && status.message;
    });

  beforeAll(async () => {
    runtime = await testRuntime.start();
    work = mkdtempSync(join(tmpdir(), 'nodeagent-eviction-'));
    cri = createCriClient({ endpoint: runtime.endpoint });
    const rootDir = join(work, 'root');
    // Other work on the machine moves what is free by a gigabyte or two: the hog takes three times what is left above the threshold.
    const { node } = await createStatsProvider({ nodeName: 'eviction', cri, rootDir: work }).summary({
      fresh: true,
      signal: AbortSignal.timeout(10_000),
    });
    const level = (node.memory?.availableBytes ?? 0n) - 1000n * mib;
    agent = createNodeAgent({
      nodeName: 'eviction',
      sources: [source],
      cri,
      rootDir,
      podLogsDir: join(work, 'logs'),
      settings: { volumeStatsAggPeriodMs: 3_000 },
      eviction: { settings: { evictionHard: { 'memory.available': `${level}` }, monitoringIntervalMs: 2_000 } },
    });
    await agent.start();
    await agent.ready;
  });

  cleanUpAfterAll({
    'the pods': () => agent && endPods(agent),
    'the agent': () => agent?.stop(),
    'the CRI client': () => cri?.close(),
    'the runtime': () => runtime?.cleanup(),
    'the folder': () => removeFolder(work),
  });

  it('evicts pods that exceed their limits of local storage, and names the limit', async () => {
    source.set([calm, full, writer, greedy]);
    expect(await evicted('full')).toBe('Usage of EmptyDir volume "data" exceeds the limit "10Mi". ');
    expect(await evicted('writer')).toBe('Pod ephemeral local storage usage exceeds the total limit of containers 10Mi. ');
    expect(await evicted('greedy')).toBe('Container main exceeded its local ephemeral storage limit "10Mi". ');
    expect(statusOf('calm')?.phase).toBe('Running');
  });

  it('ends the hog when memory runs short, and not the guaranteed pod beside it', async () => {
    source.set([calm, hog]);
    expect(await evicted('hog')).toMatch(
      /^The node was low on resource: memory\. Threshold quantity: .*available: .*Container main was using /,
    );
    expect(agent.eviction?.isUnderMemoryPressure()).toBe(true);
    expect(statusOf('calm')?.phase).toBe('Running');
  });
});
