import type { InProcessServer } from '@nodeagent/kube-client';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createAgentProcess } from './agent-process.js';
import { createNodeLink } from './node-link.js';

it('holds back a response while packets are dropped, and delivers it once the partition has healed', async () => {
  const clock = createVirtualClock();
  const server: InProcessServer = {
    async handle() {
      await clock.sleep(1_000);
      return { status: 200, headers: {}, body: 'ok' };
    },
  };
  const link = createNodeLink(server);
  const { signal } = new AbortController();
  const statuses: number[] = [];
  const transport = link.transport(createAgentProcess(clock));
  void transport.send({ method: 'GET', path: '/', headers: {}, signal }).then(({ status }) => statuses.push(status));
  await clock.advance(500);
  link.cut('silent');
  await clock.advance(60_000);
  expect(statuses).toEqual([]);
  link.heal();
  await clock.settle();
  expect(statuses).toEqual([200]);
});

it('sends no request of a killed agent', async () => {
  const clock = createVirtualClock();
  let requests = 0;
  const server: InProcessServer = {
    async handle() {
      requests++;
      return { status: 200, headers: {}, body: 'ok' };
    },
  };
  const agentProcess = createAgentProcess(clock);
  const transport = createNodeLink(server).transport(agentProcess);
  const { signal } = new AbortController();
  agentProcess.kill();
  void transport.send({ method: 'GET', path: '/', headers: {}, signal });
  await clock.settle();
  expect(requests).toBe(0);
});
