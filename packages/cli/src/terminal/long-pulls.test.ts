import { createMemoryFiles, createMemoryPodDirs, createNodeAgent } from '@nodeagent/core/node';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createManualSource, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestConsole } from '../test-console.js';
import { createAgentView } from './create-agent-view.js';

const start = Date.UTC(2026, 0, 1);

/** An agent with two pods whose images take 25 s each, one after the other, and what it shows. */
async function pullingAgent(table: boolean) {
  const clock = createVirtualClock({ start });
  const memory = createMemoryRuntime({ clock });
  memory.fault({ method: 'pullImage', delayMs: 25_000, times: 2 });
  const agent = createNodeAgent({
    nodeName: 'n1',
    rootDir: '/var/lib/nodeagent',
    sources: [createManualSource([buildPod({ name: 'a', containers: ['slow:1'] }), buildPod({ name: 'b', containers: ['slow:2'] })])],
    cri: { runtime: memory.runtime, image: memory.image },
    clock,
    host: { files: createMemoryFiles(), podDirs: createMemoryPodDirs() },
  });
  const { console, stdout } = createTestConsole(table ? { isTTY: true, columns: 100, rows: 24 } : {});
  const view = createAgentView({ table, level: 'info', format: 'text', console, clock });
  view.follow(agent, 'node n1');
  await agent.start();
  await clock.until(() => agent.pulls().length === 2);
  return { agent, clock, stdout, view };
}

it('are logged every ten seconds, with their position in the queue, until they finish', async () => {
  const { agent, clock, stdout, view } = await pullingAgent(false);
  const pending = clock.pending;
  await clock.advance(70_000);
  const lines = stdout.text.split('\n').filter((line) => / (image|image pull queued) for /.test(line));
  expect(lines.map((line) => line.replace(/^\S+:(\d\d)\.\d+Z INFO {2}/, '$1 '))).toEqual([
    expect.stringMatching(/^1\d default\/a pulling image for 10s: slow:1$/),
    expect.stringMatching(/^1\d default\/b image pull queued for 10s \(1 of 1\): slow:2$/),
    expect.stringMatching(/^2\d default\/a pulling image for 20s: slow:1$/),
    expect.stringMatching(/^2\d default\/b image pull queued for 20s \(1 of 1\): slow:2$/),
    expect.stringMatching(/^3\d default\/b pulling image for 5s: slow:2$/),
    expect.stringMatching(/^4\d default\/b pulling image for 15s: slow:2$/),
  ]);
  expect(clock.pending).toBeLessThan(pending);
  view.close();
  await clock.run(agent.stopPods());
  await agent.stop();
  expect(clock.pending).toBe(0);
});

it('are not logged after the view is closed', async () => {
  const { agent, clock, stdout, view } = await pullingAgent(false);
  view.close();
  await clock.advance(15_000);
  expect(stdout.text).not.toMatch(/ (image|image pull queued) for /);
  await agent.stop();
  expect(clock.pending).toBe(0);
});

it('replace the last event in the table', async () => {
  const { agent, clock, stdout, view } = await pullingAgent(true);
  const row = (name: string) => stdout.text.split('\n').findLast((line) => line.startsWith(`default/${name}`));
  await clock.advance(20_000);
  expect(row('a')).toMatch(/ContainerCreating +0 +\d+s +pulling image for (19|20)s: slow:1$/);
  expect(row('b')).toMatch(/image pull queued for (19|20)s \(1 of 1\): slow:2$/);
  await clock.advance(10_000);
  expect(row('a')).toMatch(/Running +0 +\d+s +\d+s ago Started: Container started$/);
  expect(row('b')).toMatch(/pulling image for [45]s: slow:2$/);
  view.close();
  await agent.stop();
});
