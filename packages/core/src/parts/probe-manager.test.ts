import { buildPod, type PodInput } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createTestAgent } from '../test-agent.js';

/** A test agent that runs the pod, whose exec probes succeed if `healthy` returns true. */
async function run(containers: NonNullable<PodInput['containers']>) {
  let healthy: (command: string, runningMs: number) => boolean = () => true;
  const test = createTestAgent([buildPod({ name: 'web', terminationGracePeriodSeconds: 30, containers })]);
  onTestFinished(async () => test.clock.run(test.agent.stop()));
  let startedAt = 0;
  test.memory.script('main', () => {
    startedAt = test.clock.now();
    return {
      onStop: 'ignore',
      exec: ([command = '']) => (healthy(command, test.clock.now() - startedAt) ? {} : { exitCode: 1, stderr: `${command} is ill` }),
    };
  });
  await test.clock.run(test.agent.start());
  return {
    ...test,
    answer: (next: typeof healthy) => {
      healthy = next;
    },
    container: () => test.status('web')?.containerStatuses?.[0],
    sinceStart: () => test.clock.now() - startedAt,
  };
}

it('restarts a container when its liveness fails, with the grace period of the probe', async () => {
  const liveness = { exec: { command: ['live'] }, periodSeconds: 5, failureThreshold: 2, terminationGracePeriodSeconds: 3 };
  const { clock, answer, container, eventLines, memory, untilReady } = await run([{ name: 'main', livenessProbe: liveness }]);
  await untilReady('web');
  await clock.advance(20_000);
  expect(container()?.restartCount).toBe(0);
  answer(() => false);
  const from = clock.now();
  await clock.until(() => eventLines('web').some((line) => line.includes('Killing')));
  expect(clock.now() - from).toBeGreaterThanOrEqual(5_000);
  expect(clock.now() - from).toBeLessThanOrEqual(10_000);
  answer(() => true);
  await clock.until(() => container()?.restartCount === 1);
  expect(memory.calls.find(({ method }) => method === 'stopContainer')?.request).toMatchObject({ timeout: 3n });
  expect(eventLines('web')).toContain('Warning Unhealthy Liveness probe failed: live is ill');
  expect(eventLines('web')).toContain('Normal Killing Container main failed liveness probe, will be restarted');
});

it('changes readiness without a restart', async () => {
  const { clock, answer, container, isReady, untilReady } = await run([
    { name: 'main', readinessProbe: { exec: { command: ['ready'] }, periodSeconds: 1, failureThreshold: 2 } },
  ]);
  await untilReady('web');
  answer(() => false);
  await clock.until(() => !isReady('web'), 3_000);
  answer(() => true);
  await clock.until(() => isReady('web'), 3_000);
  expect(container()).toMatchObject({ ready: true, restartCount: 0 });
});

it('delays liveness until the startup probe has succeeded, and restarts a container that never starts', async () => {
  const probes = {
    startupProbe: { exec: { command: ['started'] }, periodSeconds: 1, failureThreshold: 30 },
    livenessProbe: { exec: { command: ['live'] }, periodSeconds: 1, failureThreshold: 3 },
  };
  const { clock, answer, container, isReady, memory, untilReady, eventLines } = await run([{ name: 'main', ...probes }]);
  answer((_, runningMs) => runningMs >= 20_000);
  await untilReady('web', 60_000);
  expect(container()).toMatchObject({ started: true, restartCount: 0 });
  const liveness = () =>
    memory.calls.filter(({ method, request }) => method === 'execSync' && (request as { cmd: string[] }).cmd[0] === 'live');
  expect(liveness()).toHaveLength(0);
  await clock.advance(5_000);
  expect(liveness().length).toBeGreaterThanOrEqual(5);
  answer(() => false);
  await clock.until(() => container()?.restartCount === 1, 60_000);
  await clock.until(() => !isReady('web'), 2_000);
  await clock.until(() => container()?.restartCount === 2, 120_000);
  expect(eventLines('web')).toContain('Normal Killing Container main failed startup probe, will be restarted');
});

it('adopts running pods without making them unready or restarting them', async () => {
  const first = await run([{ name: 'main', readinessProbe: { exec: { command: ['ready'] }, periodSeconds: 10 } }]);
  await first.untilReady('web');
  const pod = first.agent.pods()[0]?.pod;
  const status = first.status('web');
  await first.clock.advance(60_000);
  await first.clock.run(first.agent.stop());
  const calls = first.memory.calls.length;
  const second = first.again([{ ...pod, status }] as never);
  onTestFinished(async () => second.clock.run(second.agent.stop()));
  const seen: boolean[] = [];
  second.agent.on('status', () => void seen.push(second.isReady('web')));
  await second.clock.run(second.agent.start());
  await second.clock.advance(15_000);
  expect(seen.length).toBeGreaterThan(0);
  expect(seen).not.toContain(false);
  expect(first.memory.calls.slice(calls).filter(({ method }) => /start|create|stop/i.test(method))).toEqual([]);
});

it('probes readiness while a pod terminates, and stops with the agent', async () => {
  const probe = { exec: { command: ['ready'] }, periodSeconds: 1 };
  const { agent, clock, memory, source, untilReady } = await run([
    { name: 'main', readinessProbe: probe, livenessProbe: { ...probe, exec: { command: ['live'] } } },
  ]);
  await untilReady('web');
  const [view] = agent.pods();
  const { pod } = view ?? {};
  const deletion = { deletionTimestamp: '2026-01-01T00:00:10Z', deletionGracePeriodSeconds: 30 };
  source.set([{ ...pod, metadata: { ...pod?.metadata, ...deletion } }]);
  await clock.advance(1_000);
  const from = memory.calls.length;
  await clock.advance(10_000);
  const commands = memory.calls
    .slice(from)
    .flatMap(({ method, request }) => (method === 'execSync' ? (request as { cmd: string[] }).cmd : []));
  expect(new Set(commands)).toEqual(new Set(['ready']));
  await clock.run(agent.stop());
  const after = memory.calls.length;
  await clock.advance(10_000);
  expect(memory.calls.slice(after).filter(({ method }) => method === 'execSync')).toEqual([]);
});
