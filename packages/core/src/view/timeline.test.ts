import type { TimelineEntry } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestAgent, type TestAgentOptions } from '../test-agent.js';
import { eventKind, probeText, statusText } from './timeline-text.js';

function watchedAgent(pods = [buildPod({ name: 'web' })], options: TestAgentOptions = {}) {
  const node = createTestAgent(pods, options);
  const entries: TimelineEntry[] = [];
  const listener = (entry: TimelineEntry) => void entries.push(entry);
  node.agent.on('timeline', listener);
  const lines = (kind?: TimelineEntry['kind']) =>
    entries.filter((entry) => kind === undefined || entry.kind === kind).map(({ pod, text }) => `${pod?.name ?? 'node'}: ${text}`);
  return { ...node, entries, listener, lines };
}

describe('the timeline', () => {
  it('reports the lifecycle of a pod: its source, the decisions with reasons, the containers, the status', async () => {
    const { agent, untilReady, lines, source, clock, removed, entries } = watchedAgent();
    await agent.start();
    await untilReady('web');
    expect(lines('config')).toEqual(['web: added by source "file"']);
    expect(lines('sync')[0]).toMatch(/^web: sync: create a sandbox \(.+\), start main \(.+\)$/);
    // One inspection finds both. The PLEG sends the events of containers before those of sandboxes, as the kubelet's.
    expect(lines('lifecycle')).toEqual(['web: container main started', 'web: the sandbox started']);
    expect(lines('status')).toEqual(['web: Pending', 'web: Running, ready']);
    source.set([]);
    await clock.until(() => removed.includes('web'));
    expect(lines('config')).toContain('web: no longer in source "file"');
    expect(lines('sync')).toContain('web: sync: all containers have stopped');
    expect(lines('status').at(-1)).toBe('web: the pod is cleaned up');
    expect(entries.every(({ time }) => time <= clock.now())).toBe(true);
    await agent.stop();
  });

  it('reports an exit code and a failed sync as warnings', async () => {
    const { agent, memory, clock, entries } = watchedAgent();
    memory.script('main', { exit: { afterMs: 1_000, code: 3 } });
    await agent.start();
    await clock.until(() => entries.some(({ text }) => /sync failed: back-off/.test(text)), 600_000);
    expect(entries).toContainEqual(
      expect.objectContaining({
        kind: 'lifecycle',
        text: 'container main exited with 3 (Error)',
        warning: true,
        fields: { event: 'ContainerDied', container: 'main', exitCode: 3 },
      }),
    );
    expect(entries.find(({ text }) => /sync failed/.test(text))).toMatchObject({ kind: 'sync', warning: true, pod: { name: 'web' } });
    await agent.stop();
  });

  it('reports a changed probe result', async () => {
    let exitCode = 0;
    const main = { name: 'main', readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1 } };
    const { agent, memory, untilReady, clock, lines } = watchedAgent([buildPod({ name: 'web', containers: [main] })]);
    memory.script('main', { exec: () => ({ exitCode }) });
    await agent.start();
    await untilReady('web');
    exitCode = 1;
    await clock.until(() => lines('status').at(-1) === 'web: Running, not ready', 60_000);
    expect(lines('probe')).toEqual([
      'web: readiness probe: main is not ready',
      'web: readiness probe: main is ready',
      'web: readiness probe: main is not ready',
    ]);
    await agent.stop();
  });

  it('reports that the runtime became unreachable and reachable again', async () => {
    const { agent, memory, clock, lines, untilReady } = watchedAgent();
    await agent.start();
    await untilReady('web');
    const fault = memory.fault({ method: 'status', times: Number.POSITIVE_INFINITY, error: 'CRI_UNAVAILABLE' });
    await clock.until(() => lines('node').some((line) => line !== 'node: the container runtime is reachable'), 120_000);
    fault.remove();
    await clock.until(() => lines('node').at(-1) === 'node: the container runtime is reachable', 120_000);
    await agent.stop();
  });

  it('does no work without listeners', async () => {
    const { agent, untilReady, listener, entries, clock } = watchedAgent();
    agent.off('timeline', listener);
    await agent.start();
    await untilReady('web');
    expect(entries).toEqual([]);
    agent.on('timeline', listener);
    await clock.advance(130_000);
    expect(entries).toEqual([]);
    await agent.stop();
  });
});

it.each([
  ['Evicted', 'eviction'],
  ['EvictionThresholdMet', 'eviction'],
  ['ImageGCFailed', 'gc'],
  ['Started', 'event'],
])('an event %s makes an entry of the kind %s', (reason, kind) => {
  expect(eventKind(reason)).toBe(kind);
});

it('formats a probe result and a status', () => {
  expect(probeText('Liveness', 'main', 'Failure')).toBe('liveness probe: main fails and will be restarted');
  expect(probeText('Liveness', 'main', 'Success')).toBe('liveness probe: main is alive');
  expect(probeText('Startup', 'main', 'Unknown')).toBe('startup probe: main is not started');
  expect(statusText({ phase: 'Failed', reason: 'Evicted' })).toBe('Failed (Evicted)');
  expect(statusText({})).toBe('Pending');
});
