import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@nodeagent/api';
import { createMemoryFiles, createMemoryPodDirs, createNodeAgent, type PodView } from '@nodeagent/core/node';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createManualSource, createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RejectedManifest } from '../local-api/rejected-manifests.js';
import { serveLocalApi } from '../local-api/serve-local-api.js';
import { main } from '../main.js';
import { createTestTerminal } from '../terminal/screen/test-terminal.js';
import { createTestConsole } from '../test-console.js';
import { pods } from './pods.js';

let rootDir: string;
beforeEach(() => {
  rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-ask-'));
});
afterEach(() => rmSync(rootDir, { recursive: true, force: true }));

/** An agent in virtual time with a pod that crashes and one that runs, 30 s old, and its socket. */
async function startAgent(rejected: RejectedManifest[] = []) {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  memory.script({ pod: 'crash-n1' }, { exit: { afterMs: 0, code: 3 } });
  const agent = createNodeAgent({
    nodeName: 'n1',
    rootDir,
    sources: [createManualSource([buildPod({ name: 'crash-n1' }), buildPod({ name: 'steady-n1' })])],
    cri: { runtime: memory.runtime, image: memory.image },
    clock,
    host: { files: createMemoryFiles(), podDirs: createMemoryPodDirs() },
  });
  const subject = { agent, node: 'n1', runtime: 'memory', podLogsDir: '/logs', clock, rejected: () => rejected };
  const close = await serveLocalApi({ ...subject, rootDir, logger: silentLogger });
  await agent.start();
  await clock.advance(30_000);
  return {
    agent,
    clock,
    async end() {
      await close();
      await clock.run(agent.stop());
    },
  };
}

async function call(...args: string[]) {
  const { console, stdout, stderr } = createTestConsole();
  const code = await main([...args, '--root-dir', rootDir], console);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

describe('nodeagent describe', () => {
  it('describes the named pod, as text and as JSON', async () => {
    const { agent, clock, end } = await startAgent();
    const { code, stdout } = await call('describe', 'crash');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Name: +crash-n1\n/);
    expect(stdout).toMatch(/\nWorker:\n[\s\S]*Back-Off: +main: CrashLoopBackOff until /);
    const answer = JSON.parse((await call('describe', 'default/crash-n1', '--output', 'json')).stdout);
    const [view] = agent.pods();
    expect(answer).toMatchObject({
      now: clock.now(),
      node: 'n1',
      pod: view?.pod,
      worker: { backOffs: [{ container: 'main', until: expect.any(Number) }], nextRetryAt: expect.any(Number) },
    });
    expect(answer.events.at(-1)).toMatchObject({ reason: 'BackOff' });
    await end();
  });

  it.each([
    ['stedy', 'error: no pod "stedy"; did you mean default/steady-n1?\n  "nodeagent pods" lists the pods\n'],
    ['', 'error: describe: POD is required; "nodeagent pods" lists the pods\n  see nodeagent describe --help\n'],
  ])('reports the error for %j', async (wanted, stderr) => {
    const { end } = await startAgent();
    expect(await call('describe', ...(wanted ? [wanted] : []))).toEqual({ code: wanted ? 1 : 2, stdout: '', stderr });
    await end();
  });

  it('without an agent names the socket and how to start one', async () => {
    expect(await call('describe', 'web')).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: no agent answers on ${rootDir}/agent.sock\n  start one with "nodeagent run --root-dir ${rootDir}", or set --root-dir to that of a running agent\n`,
    });
  });
});

describe('nodeagent pods', () => {
  it('lists rejected manifests beside the pods, with the reason', async () => {
    const message = '/m/web.yaml, document 2: spec.containers: Required value';
    const manifests = [{ file: '/m/web.yaml', document: 2, code: 'InvalidManifest', message }];
    const { end } = await startAgent(manifests);
    const lines = (await call('pods')).stdout.split('\n');
    expect(lines[3]).toMatch(/^web\.yaml#2 +- +InvalidManifest +- +- +\/m\/web\.yaml, document 2: spec\.containers: Required value$/);
    expect(JSON.parse((await call('pods', '-o', 'json')).stdout).rejected).toEqual(manifests);
    expect((await call('pods', '-n', 'default')).stdout).not.toContain('web.yaml');
    await end();
  });

  it('lists the pods once, as text and as JSON', async () => {
    const { end } = await startAgent();
    const lines = (await call('pods')).stdout.split('\n');
    expect(lines[0]).toMatch(/^POD +READY +STATUS +RESTARTS +AGE +LAST EVENT$/);
    expect(lines[1]).toMatch(/^default\/crash-n1 +0\/1 +CrashLoopBackOff +2 \(\d+s ago\) +30s +\d+s ago BackOff: /);
    expect(lines[2]).toMatch(/^default\/steady-n1 +1\/1 +Running +0 +30s +/);
    expect(JSON.parse((await call('pods', '--output', 'json')).stdout)).toMatchObject({ node: 'n1', pods: [{}, {}] });
    await end();
  });

  it('refreshes the table every second until it is interrupted', async () => {
    const { clock, end } = await startAgent();
    const { console, stdout, end: interrupt, listeners } = createTestConsole({ isTTY: true, columns: 100, rows: 24 });
    const code = pods(['--watch', '--root-dir', rootDir], console, clock);
    const ages = () => new Set(Array.from(stdout.text.matchAll(/default\/steady-n1 .*Running +0 +(\w+)/g), ([, age]) => age)).size;
    while (ages() < 1) await new Promise((resolve) => setImmediate(resolve));
    expect(stdout.text).toContain('node n1 · memory · 2 pods, 1 healthy');
    while (ages() < 3) await clock.advance(1_000);
    interrupt('SIGINT');
    expect(await code).toBe(0);
    expect(listeners.size).toBe(0);
    await end();
  });

  it('is an interactive list on a terminal with keys', async () => {
    const { clock, end } = await startAgent();
    const { console, type, lines, modes, listeners } = createTestTerminal(90, 16);
    const code = pods(['--watch', '--root-dir', rootDir], console, clock);
    while (!lines().some((line) => line.includes('steady'))) await new Promise((resolve) => setImmediate(resolve));
    expect(lines()[0]).toBe('node n1 · memory · 2 pods, 1 healthy');
    expect(lines()[3]).toMatch(/^> default\/crash-n1 .* in \d+s: main restarts$/);
    await type('\r');
    while (!lines().some((line) => line.startsWith('Name: '))) await clock.advance(50);
    await type('qq');
    expect(await code).toBe(0);
    expect(modes).toEqual([true, false]);
    expect(listeners.size).toBe(0);
    await end();
  });

  it('requires a terminal for --watch', async () => {
    expect(await call('pods', '--watch')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--watch: requires a terminal and --output text'),
    });
  });

  it('requires one with control sequences for --watch', async () => {
    const { console } = createTestConsole({ isTTY: true, env: { TERM: 'dumb' } });
    await expect(pods(['--watch', '--root-dir', rootDir], console)).rejects.toMatchObject({
      code: 'BAD_USAGE',
      message: expect.stringContaining('TERM is dumb'),
    });
  });

  it('fails when the agent stops during --watch', async () => {
    const { clock, end } = await startAgent();
    const { console, stdout } = createTestConsole({ isTTY: true });
    const failed = expect(pods(['--watch', '--root-dir', rootDir], console, clock)).rejects.toMatchObject({ code: 'AGENT_NOT_RUNNING' });
    while (!stdout.text.includes('2 pods')) await new Promise((resolve) => setImmediate(resolve));
    await end();
    await clock.advance(1_000);
    await failed;
  });
});

describe("kubectl's short flags", () => {
  it('select the namespace and the output', async () => {
    const { end } = await startAgent();
    const names = async (...args: string[]) => {
      const { pods: views } = JSON.parse((await call('pods', '-o', 'json', ...args)).stdout) as { pods: PodView[] };
      return views.map(({ pod }) => pod.metadata?.name);
    };
    expect(await names()).toEqual(['crash-n1', 'steady-n1']);
    expect(await names('-n', 'default')).toEqual(['crash-n1', 'steady-n1']);
    expect(await names('-nother')).toEqual([]);
    expect(await names('-n', 'other', '-A')).toEqual(['crash-n1', 'steady-n1']);
    expect((await call('describe', 'crash', '-n', 'default')).code).toBe(0);
    expect(await call('describe', 'crash', '-n', 'other')).toMatchObject({ code: 1, stderr: expect.stringContaining('no pod "crash"') });
    expect((await call('events', '-n', 'other')).stdout).toBe('');
    expect((await call('events', '-A')).stdout).toContain('default/crash-n1');
    await end();
  });

  it('the shell completes pods, namespaces and containers of the running agent', async () => {
    const { end } = await startAgent();
    const complete = async (...words: string[]) => {
      const { console, stdout } = createTestConsole();
      await main(['__complete', ...words], console);
      return stdout.text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean);
    };
    expect(await complete('describe', '--root-dir', rootDir, '')).toEqual(['crash-n1\tdefault', 'steady-n1\tdefault']);
    expect(await complete('logs', '--root-dir', rootDir, 'st')).toEqual(['steady-n1\tdefault']);
    expect(await complete('pods', '--root-dir', rootDir, '-n', '')).toEqual(['default']);
    expect(await complete('logs', 'steady-n1', `--root-dir=${rootDir}`, '-c', '')).toEqual(['main']);
    expect(await complete('describe', '--root-dir', rootDir, '-n', 'other', '')).toEqual([]);
    await end();
  });
});
