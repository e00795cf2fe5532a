import type { StatusSink, StatusVersions } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestAgent } from './test-agent.js';

/** A sink that reads each status during its call. */
function createReadingSink() {
  const calls: string[] = [];
  let statuses: StatusVersions | undefined;
  const sink: StatusSink = {
    async start(versions) {
      statuses = versions;
    },
    statusChanged(uid) {
      const entry = statuses?.versionedStatus(uid);
      calls.push(`${entry?.podName} ${entry?.status.phase} ${entry?.podIsFinished ? 'finished' : 'not finished'}`);
    },
    stop: async () => {},
  };
  return { sink, calls };
}

it.each([
  ['file', 'runs until it is stopped', 'Failed', {}],
  ['api', 'runs until it is stopped', 'Failed', {}],
  ['file', 'exits with 0 when it is stopped', 'Succeeded', { onStop: { code: 0 } }],
  ['api', 'exits with 0 when it is stopped', 'Succeeded', { onStop: { code: 0 } }],
])(
  'the last call of a sink about a pod that the source %s removed, whose container %s, has the phase %s',
  async (sourceName, _how, phase, behaviour) => {
    const { sink, calls } = createReadingSink();
    const node = createTestAgent([buildPod({ name: 'web' })], { sourceName, parts: { statusSink: () => sink } });
    node.memory.script('main', behaviour);
    await node.agent.start();
    await node.untilReady('web');
    node.source.set([]);
    await node.clock.until(() => node.removed.includes('web'), 120_000);
    await node.clock.advance(120_000);
    expect(calls.at(-1)).toBe(`web ${phase} finished`);
    expect(calls.filter((call) => call.endsWith(' finished') && !call.endsWith('not finished'))).toHaveLength(1);
    expect(node.agent.pods()).toEqual([]);
    await node.agent.stop();
  },
);

it('a static pod that is added again under its UID while it terminates runs again', async () => {
  const { sink, calls } = createReadingSink();
  const pod = buildPod({ name: 'web' });
  const node = createTestAgent([pod], { parts: { statusSink: () => sink } });
  node.memory.script('main', { onStop: { afterMs: 5_000 } });
  await node.agent.start();
  await node.untilReady('web');
  node.source.set([]);
  await node.clock.advance(2_000);
  node.source.set([pod]);
  await node.clock.until(() => node.memory.containers('main').filter(({ state }) => state === 'running').length === 0, 30_000);
  await node.untilReady('web', 120_000);
  expect(calls.at(-1)).toBe('web Running not finished');
  await node.agent.stop();
});

it.each(['file', 'api'])(
  'a pod that the source %s removed is shown with its last status and event until it is cleaned up',
  async (sourceName) => {
    const node = createTestAgent([buildPod({ name: 'web' })], { sourceName });
    node.memory.script('main', { onStop: { afterMs: 3_000, code: 0 } });
    await node.agent.start();
    await node.untilReady('web');
    node.source.set([]);
    const seen: string[] = [];
    await node.clock.until(() => {
      const [view] = node.agent.pods();
      const text = `${view?.status.phase} ${view?.lastEvent?.reason}`;
      if (view && seen.at(-1) !== text) seen.push(text);
      return node.removed.includes('web');
    }, 120_000);
    expect(seen).toEqual(['Running Killing', 'Succeeded Killing']);
    await node.agent.stop();
  },
);
