import type { MetricDefinition, MetricLabels, Metrics } from '@nodeagent/api';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestNode } from '../test-node.js';

it('counts and times calls of the runtime, starts and their failures', async () => {
  const seen = new Map<string, number>();
  const add = ({ name }: MetricDefinition, by: number, labels: MetricLabels = {}) => {
    const key = [name, ...Object.values(labels)].join(' ');
    seen.set(key, (seen.get(key) ?? 0) + by);
  };
  const metrics: Metrics = {
    counter: (definition) => ({ inc: (labels, by = 1) => add(definition, by, labels) }),
    gauge: (definition) => ({ set: (value, labels) => add(definition, value, labels) }),
    histogram: (definition) => ({ observe: (value, labels) => add(definition, value, labels) }),
  };
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const node = createTestNode(memory, clock, { metrics });
  memory.fault({ method: 'runPodSandbox', delayMs: 1500 });
  memory.fault({ method: 'createContainer', error: 'no' });
  await clock.run(node.sync(buildPod({ name: 'p', containers: ['x:1', 'y:1'] })));

  expect(Object.fromEntries(seen)).toMatchObject({
    'kubelet_runtime_operations_total create_container': 2,
    'kubelet_runtime_operations_errors_total create_container': 1,
    'kubelet_runtime_operations_duration_seconds run_podsandbox': 1.5,
    kubelet_started_pods_total: 1,
    'kubelet_started_containers_total container': 2,
    'kubelet_started_containers_errors_total container CreateContainerError': 1,
  });
});
