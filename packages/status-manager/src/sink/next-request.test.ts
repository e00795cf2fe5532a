import type { PodStatus } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { nextStatusRequest } from './next-request.js';

const deadline: PodStatus = { phase: 'Failed', reason: 'DeadlineExceeded', message: 'too long' };

const requestFor = (from: PodStatus, to: PodStatus, annotations: Record<string, string> = {}) =>
  nextStatusRequest({
    apiPod: buildPod({ name: 'web', annotations, status: from }),
    entry: { status: to, podIsFinished: false },
    sent: false,
    couldHaveRunningContainers: false,
    now: 0,
  });

it('never replaces a terminal phase', () => {
  expect(requestFor({ phase: 'Succeeded' }, deadline)).toBeUndefined();
  expect(requestFor(deadline, { phase: 'Succeeded' })).toBeUndefined();
  expect(requestFor({ phase: 'Failed' }, { phase: 'Running', podIP: '10.0.0.1' })).toMatchObject({ status: { podIP: '10.0.0.1' } });
  expect(requestFor({ phase: 'Failed' }, { phase: 'Running', podIP: '10.0.0.1' })).not.toHaveProperty('status.phase');
});

it('sends the first terminal phase, and any phase of a static pod, which may restart', () => {
  expect(requestFor({ phase: 'Running' }, deadline)).toMatchObject({ verb: 'patch', status: deadline });
  const mirror = { 'kubernetes.io/config.mirror': 'hash' };
  expect(requestFor({ phase: 'Failed' }, { phase: 'Running' }, mirror)).toMatchObject({ status: { phase: 'Running' } });
});
