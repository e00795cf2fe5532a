import type { ShutdownInhibitor, ShutdownWatcher } from '@nodeagent/node-shutdown';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestAgent } from '../test-agent.js';
import { conditionOf, joined, running, untilReady, userPod } from '../test-member.js';

const periods = { shutdownGracePeriodSeconds: 30, shutdownGracePeriodCriticalPodsSeconds: 10 };

/** An inhibitor through which the test announces shutdowns, as logind does. */
function testInhibitor() {
  const watchers: ShutdownWatcher[] = [];
  const inhibitor: ShutdownInhibitor = {
    async watch(watcher, signal) {
      watchers.push(watcher);
      signal.addEventListener('abort', () => watchers.splice(watchers.indexOf(watcher), 1));
    },
  };
  return { inhibitor, watchers };
}

describe('a node that shuts down', () => {
  it('is not ready, rejects pods, and terminates its pods by priority; a cancelled shutdown admits pods again', async () => {
    const { inhibitor, watchers } = testInhibitor();
    const member = await joined({ agent: { shutdown: { ...periods, inhibitor } } });
    const { agent, server, clock, pod, node } = member;
    expect(watchers.map(({ seconds }) => seconds)).toEqual([30]);
    const onNode = { nodeName: 'node', terminationGracePeriodSeconds: 60 };
    server.objects.create(userPod('plain', onNode));
    server.objects.create(userPod('critical', { ...onNode, priorityClassName: 'system-cluster-critical' }));
    await untilReady(member, 'plain');
    await untilReady(member, 'critical');

    const ended: string[] = [];
    agent.on('status', ({ metadata }, { phase }) => void (phase === 'Failed' && ended.push(metadata?.name ?? '')));
    let held = true;
    const done = watchers[0]?.onShutdown().then(() => {
      held = false;
    });
    await clock.until(() => conditionOf(node(), 'Ready') === 'False', 2_000);
    expect(node()?.status?.conditions?.find(({ type }) => type === 'Ready')?.message).toBe('node is shutting down');
    await clock.until(() => !held, 31_000);
    await done;
    expect(running(member)).toEqual([]);
    expect(ended.filter((name, index) => ended.indexOf(name) === index)).toEqual(['plain', 'critical']);
    await clock.until(() => pod('critical')?.status?.phase === 'Failed', 10_000);
    expect(pod('critical')?.status).toMatchObject({
      reason: 'Terminated',
      message: 'Pod was terminated in response to imminent node shutdown.',
    });
    expect(pod('plain')?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }),
    );
    server.objects.create(userPod('late', onNode));
    await clock.until(() => pod('late')?.status?.phase === 'Failed', 10_000);
    expect(pod('late')?.status).toMatchObject({
      reason: 'NodeShutdown',
      message: 'Pod was rejected: Pod was rejected as the node is shutting down.',
    });

    watchers[0]?.onCancelled();
    await clock.until(() => conditionOf(node(), 'Ready') === 'True', 2_000);
    server.objects.create(userPod('next', onNode));
    await untilReady(member, 'next');
    expect(await member.end()).toBe(0);
    expect(watchers).toEqual([]);
  });
});

describe('a standalone agent', () => {
  const pods = [buildPod({ name: 'a', terminationGracePeriodSeconds: 60 })];

  it('terminates its pods on request, permanently', async () => {
    const {
      agent,
      clock,
      phase,
      status,
      untilReady: ready,
      memory,
    } = createTestAgent(pods, { shutdown: { ...periods, inhibitor: false } });
    await agent.start();
    await ready('a');
    await clock.run(agent.shutdown(), 31_000);
    expect([phase('a'), status('a')?.reason]).toEqual(['Failed', 'Terminated']);
    await clock.advance(120_000);
    expect(memory.containers().filter(({ state }) => state === 'running')).toEqual([]);
    await agent.stop();
    expect(clock.pending).toBe(0);
  });

  it('continues if the shutdown cannot be delayed, and does nothing without periods', async () => {
    const inhibitor = { watch: () => Promise.reject(new Error('no logind')) };
    const { agent, clock, logger, untilReady: ready } = createTestAgent(pods, { shutdown: { ...periods, inhibitor } });
    await agent.start();
    await ready('a');
    expect(JSON.stringify(logger.lines)).toContain("cannot delay the machine's shutdown: pods will not terminate gracefully");
    await agent.stop();
    const unconfigured = createTestAgent(pods, { clock });
    await unconfigured.agent.start();
    await unconfigured.untilReady('a');
    await unconfigured.agent.shutdown();
    expect(unconfigured.isReady('a')).toBe(true);
    await unconfigured.agent.stop();
  });

  it.each([
    [{ shutdownGracePeriodSeconds: -1 }, 'shutdown.shutdownGracePeriodSeconds'],
    [{ shutdownGracePeriodSeconds: 1, shutdownGracePeriodCriticalPodsSeconds: 2 }, 'shutdown.shutdownGracePeriodCriticalPodsSeconds'],
    [
      { shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: Number.NaN }] },
      'shutdown.shutdownGracePeriodByPodPriority[0].shutdownGracePeriodSeconds',
    ],
  ])('rejects %o', (shutdown, field) => {
    expect(() => createTestAgent([], { shutdown })).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});
