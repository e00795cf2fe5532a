import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestAgent, type TestAgent } from './test-agent.js';

const startTimes = (node: TestAgent) => node.memory.callsOf('startContainer').map(({ at }) => at);

it('restarts a crashing container at once, then after 10, 20, 40 ... 300 seconds', async () => {
  // Without jitter, which the kubelet too puts on top.
  const node = createTestAgent([buildPod({ name: 'p' })], { random: () => 0 });
  node.memory.script('main', { exit: { afterMs: 1_000, code: 1 } });
  await node.agent.start();
  await node.clock.advance(86_400_000);
  const starts = startTimes(node);
  const waits = starts.slice(1).map((at, i) => at - (starts[i] ?? 0) - 1_000);
  const backOffs = [0, 10_000, 20_000, 40_000, 80_000, 160_000, ...Array(285).fill(300_000)];
  expect(waits).toHaveLength(backOffs.length);
  expect(waits.map((wait, i) => wait - (backOffs[i] ?? 0)).filter((late) => late < 0 || late > 1)).toEqual([]);
  const { state, lastState, restartCount } = node.status('p')?.containerStatuses?.[0] ?? {};
  expect(state?.waiting?.reason).toBe('CrashLoopBackOff');
  expect(state?.waiting?.message).toMatch(/^back-off 5m0s restarting failed container=main pod=p_default\(/);
  expect(lastState?.terminated?.exitCode).toBe(1);
  expect(restartCount).toBe(starts.length - 1);
  expect(node.phase('p')).toBe('Running');
  await node.agent.stop();
  expect(node.clock.pending).toBe(0);
});

it('resets the back-off after ten minutes without a crash', async () => {
  const node = createTestAgent([buildPod({ name: 'p' })], { random: () => 0 });
  node.memory.script('main', ({ attempt }) => ({ exit: { afterMs: attempt === 4 ? 700_000 : 0, code: 1 } }));
  await node.agent.start();
  await node.clock.until(() => node.memory.callsOf('startContainer').length === 7);
  const starts = startTimes(node);
  expect(Math.floor(((starts[5] ?? 0) - (starts[4] ?? 0)) / 1_000)).toBeLessThan(703);
  expect(Math.floor(((starts[6] ?? 0) - (starts[5] ?? 0)) / 1_000)).toBeLessThan(11);
  await node.agent.stop();
});

it('simulates a day of crashes, limits dead containers, and counts every restart', async () => {
  const node = createTestAgent([buildPod({ name: 'p' }), buildPod({ name: 'steady' })]);
  node.memory.script({ pod: 'p' }, { exit: { afterMs: 1_000, code: 1 } });
  await node.agent.start();
  await node.clock.advance(86_400_000);
  const restarts = node.status('p')?.containerStatuses?.[0]?.restartCount ?? 0;
  expect(restarts).toBeGreaterThan(270);
  expect(restarts).toBeLessThan(300);
  expect(
    Math.max(
      ...node.memory
        .containers()
        .filter(({ pod }) => pod === 'p')
        .map(({ attempt }) => attempt),
    ),
  ).toBe(restarts);
  expect(node.memory.containers().filter(({ pod }) => pod === 'p').length).toBeLessThanOrEqual(2);
  expect(node.isReady('steady')).toBe(true);
  expect(node.status('steady')?.containerStatuses?.[0]?.restartCount).toBe(0);
  await node.agent.stop();
});
