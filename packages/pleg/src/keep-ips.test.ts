import type { PodRuntimeStatus } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { keepIps } from './keep-ips.js';
import { emptyPodStatus } from './pod-cache.js';

const sandbox = (state: 'ready' | 'notReady') => ({
  id: 's',
  attempt: 0,
  state,
  createdAt: 0n,
  networkMode: 'POD' as const,
  runtimeHandler: '',
});
const status = (ips: string[], ...states: ('ready' | 'notReady')[]): PodRuntimeStatus => ({
  ...emptyPodStatus('p'),
  ips,
  sandboxStatuses: states.map(sandbox),
});

it('keeps the previous IP addresses only while no sandbox is ready', () => {
  const old = status(['10.0.0.1']);
  expect(keepIps(status([], 'notReady'), old).ips).toEqual(['10.0.0.1']);
  expect(keepIps(status([]), old).ips).toEqual(['10.0.0.1']);
  expect(keepIps(status([], 'notReady', 'ready'), old).ips).toEqual([]);
  expect(keepIps(status(['10.0.0.2']), old).ips).toEqual(['10.0.0.2']);
  expect(keepIps(status([]), undefined).ips).toEqual([]);
});

it('changes neither of its arguments', () => {
  const [fresh, old] = [status([]), status(['10.0.0.1'])];
  keepIps(fresh, old);
  expect(fresh.ips).toEqual([]);
});
