import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createAgentProcess } from './agent-process.js';

it('makes no call after a kill, and no call in flight settles', async () => {
  const clock = createVirtualClock();
  const agent = createAgentProcess(clock);
  const calls: string[] = [];
  const service = agent.bind({
    async stop(name: string) {
      calls.push(name);
      await clock.sleep(1_000);
      return name;
    },
  });
  const settled: string[] = [];
  void service.stop('before').then((name) => settled.push(name));
  await clock.advance(1_000);
  void service.stop('during').then((name) => settled.push(name));
  agent.kill();
  void service.stop('after').then((name) => settled.push(name));
  await clock.advance(10_000);
  expect([calls, settled]).toEqual([['before', 'during'], ['before']]);
});

it('fires no timer after a kill', async () => {
  const clock = createVirtualClock();
  const agent = createAgentProcess(clock);
  const fired: string[] = [];
  agent.clock.setTimeout(() => fired.push('due'), 1_000);
  agent.clock.setTimeout(() => fired.push('late'), 2_000);
  await clock.advance(1_000);
  agent.kill();
  agent.clock.setTimeout(() => fired.push('set after the kill'), 0);
  await clock.advance(10_000);
  expect([fired, clock.pending]).toEqual([['due'], 0]);
});
