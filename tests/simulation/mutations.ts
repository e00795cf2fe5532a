import type { NodeAgentOptions } from '@nodeagent/core';
import type { SimulatedAgentOptions } from '@nodeagent/test-cluster';
import type { Mutation } from './world.js';

type ClusterPods = NonNullable<NodeAgentOptions['cluster']>['pods'];

/** The agent with other ways to change pods at the API server. */
function withPods(options: SimulatedAgentOptions, change: (pods: ClusterPods) => Partial<ClusterPods>): SimulatedAgentOptions {
  const { cluster } = options;
  if (cluster === undefined) return options;
  const changed = change(cluster.pods);
  const pods = new Proxy(cluster.pods, { get: (target, name) => Reflect.get(name in changed ? changed : target, name) });
  return { ...options, cluster: { ...cluster, pods } };
}

/** A runtime that says of some containers that they were stopped, and goes on with them. */
const forgottenStop: Mutation = {
  name: 'forgotten-stop',
  foundBy: ['nothing unwanted', 'started once'],
  begin({ node }) {
    const some = ({ containerId = '', podSandboxId = '' }) => /^[0-4]/.test(containerId || podSandboxId);
    for (const method of ['stopContainer', 'stopPodSandbox'] as const) {
      node.runtime.fault({ method, match: some, answer: {}, times: Number.POSITIVE_INFINITY });
    }
  },
};

/** Statuses of some pods never get to the API server. */
const droppedStatus: Mutation = {
  name: 'dropped-status',
  foundBy: ['nothing unwanted', 'truth'],
  wrap: (options) =>
    withPods(options, (pods) => ({
      patch: (key, ...rest) => (/[02468]$/.test(key.name) ? pods.get(key) : pods.patch(key, ...rest)),
    })),
};

/** Containers that crash wait half as long as they should. */
const halvedBackOff: Mutation = {
  name: 'halved-back-off',
  foundBy: ['back-off'],
  wrap: (options) => ({ ...options, settings: { ...options.settings, maxContainerRestartPeriodMs: 5_000 } }),
};

/** Restart counts above one start over. */
const loweredRestartCount: Mutation = {
  name: 'lowered-restart-count',
  foundBy: ['restart counts'],
  wrap: (options) =>
    withPods(options, (pods) => ({
      patch: (key, patch, ...rest) => pods.patch(key, JSON.parse(JSON.stringify(patch, lowered)), ...rest),
    })),
};

const lowered = (field: string, value: unknown) => (field === 'restartCount' && Number(value) > 1 ? 0 : value);

/** Volumes are said to be unmounted and are not. */
const leftMounted: Mutation = {
  name: 'left-mounted',
  foundBy: ['nothing unwanted'],
  begin({ disk }) {
    disk.leaves = true;
  },
};

/** A runtime that says of some containers that their resources were updated, and leaves them as they are. */
const forgottenResize: Mutation = {
  name: 'forgotten-resize',
  foundBy: ['resizes'],
  begin({ node }) {
    const some = ({ containerId = '' }) => /^[0-7]/.test(containerId);
    node.runtime.fault({ method: 'updateContainerResources', match: some, answer: {}, times: Number.POSITIVE_INFINITY });
  },
};

/** Breaks of which each must be found. */
export const mutations: readonly Mutation[] = [
  forgottenStop,
  droppedStatus,
  halvedBackOff,
  loweredRestartCount,
  leftMounted,
  forgottenResize,
];
