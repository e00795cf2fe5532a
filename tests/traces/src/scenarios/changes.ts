import type { Container, Pod } from '@nodeagent/api';
import {
  createPod,
  deletePod,
  forever,
  foreverCommand,
  type Scenario,
  type ScenarioWorld,
  shell,
  until,
  untilPhase,
  untilReady,
  untilRestarts,
  withCondition,
} from '../scenario.js';

/** The pod with other fields in its spec. */
const withSpec = (pod: Pod, fields: Partial<NonNullable<Pod['spec']>>): Pod => ({
  ...pod,
  spec: { containers: [], ...pod.spec, ...fields },
});

/** Pods that change, and pods that are deleted in other ways. */
export const changes: Scenario[] = [
  {
    name: 'image-update',
    async act(world) {
      world.memory.script('c', forever);
      createPod(world, { containers: [shell('c', foreverCommand)] });
      await untilReady(world);
      const containers = (pod: Pod) => (pod.spec?.containers ?? []).map((container) => ({ ...container, image: 'localhost/busybox:2' }));
      world.api.update((pod) => withSpec(pod, { containers: containers(pod) }));
      await untilRestarts(world, 1);
      await world.clock.advance(3_000);
      await deletePod(world);
    },
  },
  {
    name: 'resize',
    async act(world) {
      world.memory.script('c', forever);
      // The containerd of the references had no such call.
      world.memory.fault({ method: 'updatePodSandboxResources', error: 'CRI_UNIMPLEMENTED', times: Infinity });
      const resources = { requests: { cpu: '100m', memory: '32Mi' }, limits: { cpu: '200m', memory: '64Mi' } };
      createPod(world, { containers: [shell('c', foreverCommand, { resources })] });
      await untilReady(world);
      const more = { requests: { ...resources.requests, cpu: '150m' }, limits: { ...resources.limits, cpu: '300m' } };
      const containers = (pod: Pod) => (pod.spec?.containers ?? []).map((container) => ({ ...container, resources: more }));
      world.api.update((pod) => withSpec(pod, { containers: containers(pod) }), 'resize');
      await until(world, (pod) => pod?.status?.containerStatuses?.[0]?.resources?.limits?.cpu === more.limits.cpu);
      await world.clock.advance(8_000);
      await deletePod(world);
    },
  },
  {
    name: 'ephemeral',
    async act(world) {
      world.memory.script('c', forever);
      world.memory.script('dbg', { exit: { afterMs: 3_000 } });
      createPod(world, { containers: [shell('c', foreverCommand)] });
      await untilReady(world);
      const debug = {
        ...shell('dbg', 'sleep 3'),
        targetContainerName: 'c',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      };
      world.api.update((pod) => withSpec(pod, { ephemeralContainers: [debug] }), 'ephemeralcontainers');
      await world.clock.advance(8_000);
      await deletePod(world);
    },
  },
  {
    name: 'readiness-gate',
    async act(world) {
      world.memory.script('c', forever);
      createPod(world, { readinessGates: [{ conditionType: 'x.io/go' }], containers: [shell('c', foreverCommand)] });
      await untilPhase(world, 'Running');
      await world.clock.advance(2_000);
      world.api.updateStatus((status) => withCondition(status, 'x.io/go'));
      await untilReady(world);
      await deletePod(world);
    },
  },
  {
    name: 'ignores-term',
    async act(world) {
      world.memory.script('c', { onStop: 'ignore' });
      createPod(world, { terminationGracePeriodSeconds: 2, containers: [shell('c', 'trap "" TERM; while :; do sleep 1; done')] });
      await untilReady(world);
      await world.clock.advance(1_000);
      await deletePod(world);
    },
  },
  {
    name: 'force-delete',
    async act(world) {
      world.memory.script('c', { onStop: 'ignore' });
      createPod(world, { terminationGracePeriodSeconds: 30, containers: [shell('c', 'trap "" TERM; while :; do sleep 1; done')] });
      await untilReady(world);
      world.api.delete(0);
      await until(world, (pod) => pod === undefined);
      await world.clock.advance(8_000);
    },
  },
  {
    name: 'static-pod',
    mirrorComesBack: true,
    long: true,
    async act(world) {
      world.memory.script('c', forever);
      await writeManifest(world, {});
      await untilPhase(world, 'Running');
      await world.clock.advance(3_000);
      world.api.delete(0);
      await world.clock.advance(6_000);
      await writeManifest(world, { env: [{ name: 'N', value: '2' }] });
      await world.clock.advance(20_000);
      await world.setManifests([]);
      await until(world, (pod) => pod === undefined);
    },
  },
];

/** Makes a pod with one container of the node's manifests. */
function writeManifest({ namespace, setManifests }: ScenarioWorld, container: Partial<Container>): Promise<void> {
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'st', namespace },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 5,
      containers: [shell('c', foreverCommand, container)],
    },
  };
  return setManifests([manifest]);
}
