import type { KubeObject, Pod } from '@nodeagent/api';
import { findPodCondition } from '@nodeagent/api/helpers';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';

it('sets the condition of a disruption to False two minutes after it, unless the pod is deleted or its kubelet set it', async () => {
  const clock = createVirtualClock();
  const server = createTestApiServer({ clock, disruptionBudgets: true });
  const target = (reason: string) => ({ type: 'DisruptionTarget', status: 'True', reason, lastTransitionTime: '2026-01-01T00:00:00Z' });
  const create = (name: string, reason: string, phase = 'Running') => {
    server.objects.create({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'c', image: 'web:1' }], nodeName: 'n1' } },
    } as KubeObject);
    const setStatus = (pod: Pod) => {
      pod.status = { phase, conditions: [target(reason)] };
    };
    server.objects.update<Pod>('pods', name, setStatus, { subresource: 'status' });
  };
  create('kept', 'EvictionByEvictionAPI');
  create('kubelet', 'TerminationByKubelet');
  create('done', 'EvictionByEvictionAPI', 'Failed');
  const status = () =>
    ['kept', 'kubelet', 'done'].map((name) => findPodCondition(server.objects.get<Pod>('pods', name)?.status, 'DisruptionTarget')?.status);
  await clock.advance(119_000);
  expect(status()).toEqual(['True', 'True', 'True']);
  await clock.advance(1_000);
  expect(status()).toEqual(['False', 'True', 'True']);
  expect(findPodCondition(server.objects.get<Pod>('pods', 'kept')?.status, 'DisruptionTarget')).not.toHaveProperty('reason');
  await server.close();
});
