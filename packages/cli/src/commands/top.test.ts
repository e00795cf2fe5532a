import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Summary, silentLogger } from '@nodeagent/api';
import { createMemoryFiles, createMemoryPodDirs, createNodeAgent, type NodeAgentOptions } from '@nodeagent/core/node';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createManualSource, createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { serveLocalApi } from '../local-api/serve-local-api.js';
import { main } from '../main.js';
import { createTestTerminal } from '../terminal/screen/test-terminal.js';
import { createTestConsole } from '../test-console.js';
import { top } from './top.js';

let rootDir: string;
beforeEach(() => {
  rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-top-'));
});
afterEach(() => rmSync(rootDir, { recursive: true, force: true }));

const mib = 1n << 20n;

/** An agent of two pods on a node of 1000Mi, of which 400Mi are in use, and its socket. */
async function startAgent(options: Partial<NodeAgentOptions> = {}) {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const pods = [buildPod({ name: 'small', uid: 'u1' }), buildPod({ name: 'hog', uid: 'u2' })];
  const used = { u1: 100n * mib, u2: 300n * mib };
  const summary = async (): Promise<Summary> => {
    const time = new Date(clock.now()).toISOString();
    const of = (bytes: bigint) => ({ cpu: { time, usageNanoCores: 250_000_000n }, memory: { time, workingSetBytes: bytes } });
    return {
      node: {
        nodeName: 'n1',
        startTime: time,
        ...of(400n * mib),
        memory: { time, workingSetBytes: 400n * mib, availableBytes: 600n * mib },
      },
      pods: pods.map(({ metadata }) => {
        const uid = metadata?.uid as keyof typeof used;
        return { podRef: { name: metadata?.name ?? '', namespace: 'default', uid }, startTime: time, containers: [], ...of(used[uid]) };
      }),
    };
  };
  const agent = createNodeAgent({
    nodeName: 'n1',
    rootDir,
    sources: [createManualSource(pods, { name: 'api' })],
    cri: { runtime: memory.runtime, image: memory.image },
    clock,
    host: { files: createMemoryFiles(), podDirs: createMemoryPodDirs() },
    parts: { stats: () => ({ summary, containerMetrics: async () => '', resourceMetrics: async () => '' }) },
    ...options,
  });
  const subject = { agent, node: 'n1', runtime: 'memory', podLogsDir: '/logs', clock };
  const close = await serveLocalApi({ ...subject, rootDir, logger: silentLogger });
  await agent.start();
  await clock.advance(30_000);
  onTestFinished(async () => {
    await close();
    await clock.run(agent.stop());
  });
  return clock;
}

async function call(...args: string[]) {
  const { console, stdout, stderr } = createTestConsole();
  const code = await main([...args, '--root-dir', rootDir], console);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

describe('nodeagent top', () => {
  it('prints the thresholds, and pods by memory, once without a terminal', async () => {
    await startAgent();
    expect((await call('top')).stdout).toBe(`node n1 · memory

pressure: none
memory.available  [#########...........]  600Mi free, evicts below 100Mi

POD            CPU   MEMORY  DISK
default/hog    250m  300Mi   -
default/small  250m  100Mi   -
the node       250m  400Mi   -
`);
    expect(JSON.parse((await call('top', '--output', 'json')).stdout)).toMatchObject({
      nodeUsage: { nanoCores: 250_000_000, memoryBytes: 400 * 2 ** 20 },
      eviction: { signal: 'memory.available' },
    });
  });

  it('refreshes on a terminal until it is interrupted', async () => {
    const clock = await startAgent();
    const { console, stdout, end: interrupt, listeners } = createTestConsole({ isTTY: true, columns: 100, rows: 24 });
    const code = top(['--root-dir', rootDir], console, clock);
    while (!stdout.text.includes('default/hog')) await new Promise((resolve) => setImmediate(resolve));
    interrupt('SIGINT');
    expect(await code).toBe(0);
    expect(listeners.size).toBe(0);
  });

  it('is an interactive list on a terminal with keys', async () => {
    const clock = await startAgent();
    const { console, type, lines } = createTestTerminal(90, 14);
    const code = top(['--root-dir', rootDir], console, clock);
    while (!lines().some((line) => line.includes('small'))) await new Promise((resolve) => setImmediate(resolve));
    expect(lines().slice(0, 6)).toEqual([
      'node n1 · memory · CPU 250m, memory 400Mi, disk -',
      'pressure: none',
      'memory.available  [#########...........]  600Mi free, evicts below 100Mi',
      '',
      '  POD             CPU  MEMORY  DISK',
      '> default/hog    250m   300Mi     -',
    ]);
    expect(lines().slice(-3, -1).join(' ')).toBe(
      'Number 1 of 2 in the eviction ranking of memory.available: uses 300Mi of memory, requests none; priority 0.',
    );
    await type('q');
    expect(await code).toBe(0);
  });

  it('fails if stats are not available', async () => {
    await startAgent({
      parts: {
        stats: () => ({
          summary: () => Promise.reject(new Error('cannot read')),
          containerMetrics: async () => '',
          resourceMetrics: async () => '',
        }),
      },
    });
    expect(await call('top')).toMatchObject({ code: 1, stderr: 'error: stats are not available: cannot read\n' });
  });
});

describe('nodeagent evict --dry-run', () => {
  it('shows the eviction ranking with reasons, and that no threshold is met', async () => {
    await startAgent();
    expect(
      (await call('evict', '--dry-run')).stdout,
    ).toBe(`memory.available: threshold not met; if it is met, pods are evicted in this order:
1  default/hog    uses 300Mi of memory, requests none; priority 0
2  default/small  uses 100Mi of memory, requests none; priority 0
`);
  });

  it('reports that eviction is off', async () => {
    await startAgent({ eviction: false });
    expect((await call('evict', '--dry-run')).stdout).toBe('no pod is evicted for lack of resources: eviction is switched off\n');
  });

  it('evicts no pod, and requires --dry-run', async () => {
    expect(await call('evict')).toMatchObject({ code: 2, stderr: expect.stringContaining('evict: requires --dry-run') });
  });
});
