import type { NodeAgentOptions, PodFiles } from '@nodeagent/core/node';
import type { SimulatedAgentOptions } from '@nodeagent/test-cluster';
import type { Mutation } from './simulated-node.js';

type ClusterPods = NonNullable<NodeAgentOptions['cluster']>['pods'];

/** The agent with a changed client for pods at the API server. */
function withPods(options: SimulatedAgentOptions, change: (pods: ClusterPods) => Partial<ClusterPods>): SimulatedAgentOptions {
  const { cluster } = options;
  if (cluster === undefined) return options;
  const changed = change(cluster.pods);
  const pods = new Proxy(cluster.pods, { get: (target, name) => Reflect.get(name in changed ? changed : target, name) });
  return { ...options, cluster: { ...cluster, pods } };
}

/** A runtime that reports some containers as stopped and keeps them running. */
const forgottenStop: Mutation = {
  name: 'forgotten-stop',
  foundBy: ['no leftovers', 'started once', 'termination order'],
  setUp({ node }) {
    const some = ({ containerId = '', podSandboxId = '' }) => /^[0-4]/.test(containerId || podSandboxId);
    for (const method of ['stopContainer', 'stopPodSandbox'] as const) {
      node.runtime.fault({ method, match: some, answer: {}, times: Number.POSITIVE_INFINITY });
    }
  },
};

/** Statuses of some pods never reach the API server. */
const droppedStatus: Mutation = {
  name: 'dropped-status',
  foundBy: ['no leftovers', 'reported status'],
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

/** Failed syncs are repeated after half a second, and some containers cannot be created. */
const shortSyncBackOff: Mutation = {
  name: 'short-sync-back-off',
  foundBy: ['repeated calls'],
  wrap: (options) => ({ ...options, settings: { ...options.settings, backOffPeriodMs: 500 } }),
  setUp({ node }) {
    const isSecond = ({ config }: { config?: { metadata?: { name?: string } } }) => config?.metadata?.name === 'c1';
    node.runtime.fault({ method: 'createContainer', match: isSecond, error: 'no space left on device', times: Number.POSITIVE_INFINITY });
  },
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

/** Unmounts succeed without an effect. */
const leftMounted: Mutation = {
  name: 'left-mounted',
  foundBy: ['no leftovers'],
  setUp({ disk }) {
    disk.leaves = true;
  },
};

/** A runtime that reports some updates of resources as successful without applying them. */
const forgottenResize: Mutation = {
  name: 'forgotten-resize',
  foundBy: ['resizes'],
  setUp({ node }) {
    const some = ({ containerId = '' }) => /^[0-7]/.test(containerId);
    node.runtime.fault({ method: 'updateContainerResources', match: some, answer: {}, times: Number.POSITIVE_INFINITY });
  },
};

/** Cgroups of pods are never removed. */
const leftCgroups: Mutation = {
  name: 'left-cgroups',
  foundBy: ['no leftovers', 'cgroups of terminated pods', 'bounded'],
  wrap: ({ host, ...options }) => ({
    ...options,
    host: { ...host, ...(host?.cgroups && { cgroups: { ...host.cgroups, rmdir: async () => {} } }) },
  }),
};

/** All containers with exclusive CPUs get the same one. */
const sharedExclusiveCpus: Mutation = {
  name: 'shared-exclusive-cpus',
  firstSeed: 7,
  foundBy: ['exclusive CPUs', 'saved first'],
  wrap({ cri, ...options }) {
    const createContainer: typeof cri.runtime.createContainer = (request, ...rest) => {
      const { config } = request;
      const resources = config?.linux?.resources;
      if (resources?.cpuQuota !== -1n) return cri.runtime.createContainer(request, ...rest);
      const linux = { ...config?.linux, resources: { ...resources, cpusetCpus: '1' } };
      return cri.runtime.createContainer({ ...request, config: { ...config, linux } } as typeof request, ...rest);
    };
    const runtime = new Proxy(cri.runtime, {
      get: (target, name) => (name === 'createContainer' ? createContainer : Reflect.get(target, name)),
    });
    return { ...options, cri: { ...cri, runtime } };
  },
};

/** The checkpoint of devices is never written: an agent that replaces another has no record of the devices of running containers. */
const forgottenDevices: Mutation = {
  name: 'forgotten-devices',
  foundBy: ['exclusive devices', 'saved first'],
  setUp(simulation) {
    for (const afterMs of [40_000, 80_000, 120_000]) simulation.cluster.clock.setTimeout(() => simulation.restart(), afterMs);
  },
  wrap({ host, ...options }) {
    const { files } = host ?? {};
    const writeFile: PodFiles['writeFile'] = async (path, ...rest) => {
      if (!path.endsWith('kubelet_internal_checkpoint')) await files?.writeFile(path, ...rest);
    };
    return { ...options, host: { ...host, ...(files && { files: { ...files, writeFile } }) } };
  },
};

/** Deliberate bugs, each of which an invariant must find. */
export const mutations: readonly Mutation[] = [
  forgottenStop,
  droppedStatus,
  halvedBackOff,
  shortSyncBackOff,
  loweredRestartCount,
  leftMounted,
  leftCgroups,
  sharedExclusiveCpus,
  forgottenDevices,
  forgottenResize,
];
