import type { Container, Pod } from '@nodeagent/api';
import {
  createPod,
  deletePod,
  forever,
  foreverCommand,
  type Scenario,
  type ScenarioContext,
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
    async act(context) {
      context.memory.script('c', forever);
      createPod(context, { containers: [shell('c', foreverCommand)] });
      await untilReady(context);
      const containers = (pod: Pod) => (pod.spec?.containers ?? []).map((container) => ({ ...container, image: 'localhost/busybox:2' }));
      context.api.update((pod) => withSpec(pod, { containers: containers(pod) }));
      await untilRestarts(context, 1);
      await context.clock.advance(3_000);
      await deletePod(context);
    },
  },
  {
    name: 'resize',
    async act(context) {
      context.memory.script('c', forever);
      // The containerd of the references had no such call.
      context.memory.fault({ method: 'updatePodSandboxResources', error: 'CRI_UNIMPLEMENTED', times: Infinity });
      const resources = { requests: { cpu: '100m', memory: '32Mi' }, limits: { cpu: '200m', memory: '64Mi' } };
      createPod(context, { containers: [shell('c', foreverCommand, { resources })] });
      await untilReady(context);
      const more = { requests: { ...resources.requests, cpu: '150m' }, limits: { ...resources.limits, cpu: '300m' } };
      const containers = (pod: Pod) => (pod.spec?.containers ?? []).map((container) => ({ ...container, resources: more }));
      context.api.update((pod) => withSpec(pod, { containers: containers(pod) }), 'resize');
      await until(context, (pod) => pod?.status?.containerStatuses?.[0]?.resources?.limits?.cpu === more.limits.cpu);
      await context.clock.advance(8_000);
      await deletePod(context);
    },
  },
  {
    name: 'ephemeral',
    async act(context) {
      context.memory.script('c', forever);
      context.memory.script('dbg', { exit: { afterMs: 3_000 } });
      createPod(context, { containers: [shell('c', foreverCommand)] });
      await untilReady(context);
      const debug = {
        ...shell('dbg', 'sleep 3'),
        targetContainerName: 'c',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      };
      context.api.update((pod) => withSpec(pod, { ephemeralContainers: [debug] }), 'ephemeralcontainers');
      await context.clock.advance(8_000);
      await deletePod(context);
    },
  },
  {
    name: 'readiness-gate',
    async act(context) {
      context.memory.script('c', forever);
      createPod(context, { readinessGates: [{ conditionType: 'x.io/go' }], containers: [shell('c', foreverCommand)] });
      await untilPhase(context, 'Running');
      await context.clock.advance(2_000);
      context.api.updateStatus((status) => withCondition(status, 'x.io/go'));
      await untilReady(context);
      await deletePod(context);
    },
  },
  {
    name: 'ignores-term',
    async act(context) {
      context.memory.script('c', { onStop: 'ignore' });
      createPod(context, { terminationGracePeriodSeconds: 2, containers: [shell('c', 'trap "" TERM; while :; do sleep 1; done')] });
      await untilReady(context);
      await context.clock.advance(1_000);
      await deletePod(context);
    },
  },
  {
    name: 'force-delete',
    async act(context) {
      context.memory.script('c', { onStop: 'ignore' });
      createPod(context, { terminationGracePeriodSeconds: 30, containers: [shell('c', 'trap "" TERM; while :; do sleep 1; done')] });
      await untilReady(context);
      context.api.delete(0);
      await until(context, (pod) => pod === undefined);
      await context.clock.advance(8_000);
    },
  },
  {
    name: 'static-pod',
    mirrorComesBack: true,
    long: true,
    async act(context) {
      context.memory.script('c', forever);
      await writeManifest(context, {});
      await untilPhase(context, 'Running');
      await context.clock.advance(3_000);
      context.api.delete(0);
      await context.clock.advance(6_000);
      await writeManifest(context, { env: [{ name: 'N', value: '2' }] });
      await context.clock.advance(20_000);
      await context.setManifests([]);
      await until(context, (pod) => pod === undefined);
    },
  },
];

/** Makes a pod with one container of the node's manifests. */
function writeManifest({ namespace, setManifests }: ScenarioContext, container: Partial<Container>): Promise<void> {
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
