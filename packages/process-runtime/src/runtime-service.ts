import type { RuntimeService } from '@nodeagent/cri-api';
import { failingStream } from './calls.js';
import { unimplemented } from './errors.js';
import { containerMethods } from './service/container-methods.js';
import { createServiceContext, type RuntimeServicePorts } from './service/context.js';
import { execMethods } from './service/exec-methods.js';
import { notStarted } from './service/requests.js';
import { sandboxMethods } from './service/sandbox-methods.js';
import { statsMethods } from './service/stats-methods.js';

/** The version in the response to Version; it is not the version of the CRI. */
const criVersion = '0.1.0';

/** The CRI's RuntimeService: validates requests and converts records to messages. */
export function createRuntimeService(ports: RuntimeServicePorts): RuntimeService {
  const context = createServiceContext(ports);
  const { unary } = context;
  return {
    ...sandboxMethods(context),
    ...containerMethods(context),
    ...execMethods(context),
    ...statsMethods(context),
    version: unary('Version', () => ({
      version: criVersion,
      runtimeName: ports.runtimeName,
      runtimeVersion: ports.runtimeVersion,
      runtimeApiVersion: 'v1',
    })),
    status: unary('Status', () => {
      const isReady = ports.live() !== undefined;
      const condition = (type: string) => ({
        type,
        status: isReady,
        reason: isReady ? '' : 'NotStarted',
        message: isReady ? '' : 'the runtime is not started',
      });
      return {
        status: { conditions: [condition('RuntimeReady'), condition('NetworkReady')] },
        info: {},
        runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: false, userNamespaces: false } }],
        features: { supplementalGroupsPolicy: false, userNamespacesHostNetwork: false },
      };
    }),
    runtimeConfig: unary('RuntimeConfig', () => ({ linux: { cgroupDriver: 'CGROUPFS' } })),
    updateRuntimeConfig: unary('UpdateRuntimeConfig', () => ({})),

    getContainerEvents: (_request, options) => ports.live()?.events.subscribe(options?.signal) ?? failingStream(notStarted()),
    podSandboxStats: refuse('PodSandboxStats', 'a sandbox has no cgroup to measure'),
    listPodSandboxStats: refuse('ListPodSandboxStats', 'a sandbox has no cgroup to measure'),
    streamPodSandboxStats: refuseStream('StreamPodSandboxStats', 'a sandbox has no cgroup to measure'),
    checkpointContainer: refuse('CheckpointContainer', 'plain processes cannot be checkpointed'),
    listMetricDescriptors: refuse('ListMetricDescriptors', 'it has no metrics'),
    listPodSandboxMetrics: refuse('ListPodSandboxMetrics', 'it has no metrics'),
    streamPodSandboxMetrics: refuseStream('StreamPodSandboxMetrics', 'it has no metrics'),
  };
}

function refuse(method: string, why: string): () => Promise<never> {
  return () => Promise.reject(unimplemented(method, why));
}

function refuseStream(method: string, why: string): () => AsyncIterable<never> {
  return () => failingStream(unimplemented(method, why));
}
