import type { Node, Pod } from '@nodeagent/api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { explainScheduling } from './explain-scheduling.js';
import { scheduleOnce } from './schedule-once.js';
import { aNode, asking, waiting } from './test-cluster-objects.js';

const zone = 'topology.kubernetes.io/zone';
const apps = fc.constantFrom('a', 'b');

const nodeInputs = fc.record({
  cpu: fc.integer({ min: 0, max: 6 }),
  zone: fc.option(fc.constantFrom('x', 'y', 'z')),
  taint: fc.option(fc.constantFrom('NoSchedule', 'PreferNoSchedule', 'NoExecute')),
  unschedulable: fc.boolean(),
});
const podInputs = fc.record({
  app: apps,
  cpu: fc.integer({ min: 0, max: 3 }),
  priority: fc.integer({ min: 0, max: 3 }),
  tolerates: fc.boolean(),
  hostPort: fc.option(fc.integer({ min: 80, max: 81 })),
  near: fc.option(apps),
  apart: fc.option(apps),
  spread: fc.option(fc.integer({ min: 1, max: 2 })),
});

const newNode = (input: typeof nodeInputs extends fc.Arbitrary<infer T> ? T : never, index: number): Node =>
  aNode(`n${index}`, {
    allocatable: { cpu: String(input.cpu), pods: '4' },
    labels: input.zone ? { [zone]: input.zone } : {},
    ...(input.taint && { taints: [{ key: 'k', effect: input.taint }] }),
    ...(input.unschedulable && { unschedulable: true }),
  });

function newPod(input: typeof podInputs extends fc.Arbitrary<infer T> ? T : never, index: number): Pod {
  const labelSelector = (app: string) => ({ matchLabels: { app } });
  const term = (app: string) => [{ topologyKey: zone, labelSelector: labelSelector(app) }];
  return waiting(`p${index}`, {
    labels: { app: input.app },
    priority: input.priority,
    containers: asking({ cpu: String(input.cpu) }).map((container) => ({
      ...container,
      ...(input.hostPort && { ports: [{ containerPort: 80, hostPort: input.hostPort }] }),
    })),
    ...(input.tolerates && { tolerations: [{ key: 'k', operator: 'Exists' }] }),
    affinity: {
      ...(input.near && { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term(input.near) } }),
      ...(input.apart && { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term(input.apart) } }),
    },
    ...(input.spread && {
      topologySpreadConstraints: [
        { maxSkew: input.spread, topologyKey: zone, whenUnsatisfiable: 'DoNotSchedule', labelSelector: labelSelector(input.app) },
      ],
    }),
  });
}

it('binds a pod only to a node that passes all rules, and gives each other node a reason', () => {
  fc.assert(
    fc.property(fc.array(nodeInputs, { minLength: 1, maxLength: 5 }), fc.array(podInputs, { minLength: 1, maxLength: 8 }), (n, p) => {
      const nodes = n.map(newNode);
      const pods = p.map(newPod);
      const { bindings, unschedulable, preemptions } = scheduleOnce({ pods, nodes, boundPods: [] });
      expect(bindings.length + unschedulable.length).toBe(pods.length);
      // A pod that was bound before others fits its node in the cluster of that time.
      const boundPods: Pod[] = [];
      for (const { pod, nodeName } of bindings) {
        const { nodes: explained } = explainScheduling({ pod, nodes, boundPods });
        const [best] = explained;
        const chosen = explained.find(({ name }) => name === nodeName);
        // Pods that were nominated meanwhile only take places away.
        expect(chosen?.fits).toBe(true);
        if (preemptions.length === 0) expect(chosen?.score).toBe(best?.score);
        for (const { fits, reasons } of explained) expect(reasons.length > 0).toBe(!fits);
        boundPods.push({ ...pod, spec: { containers: [], ...pod.spec, nodeName } });
      }
      for (const { message } of unschedulable) {
        const reasons = /^0\/(\d+) nodes are available: (.*?)\. ?/.exec(message);
        expect(Number(reasons?.[1])).toBe(nodes.length);
        const counts = Array.from(reasons?.[2]?.matchAll(/(?:^|, )(\d+) /g) ?? [], ([, count]) => Number(count));
        expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(nodes.length);
      }
      for (const { pod, nodeName, victims } of preemptions) {
        expect(victims.length).toBeGreaterThan(0);
        for (const victim of victims) expect(victim.spec?.priority).toBeLessThan(pod.spec?.priority ?? 0);
        expect(nodes.map(({ metadata }) => metadata?.name)).toContain(nodeName);
      }
    }),
    { numRuns: 60 },
  );
});
