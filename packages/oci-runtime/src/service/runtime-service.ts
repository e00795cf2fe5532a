import type { RuntimeService } from '@nodeagent/cri-api';
import { failingStream, notStarted, timeoutMs } from '@nodeagent/process-runtime/cri';
import { version } from '../version.js';
import { toRuntimeHandler } from '../views.js';
import { containerMethods } from './container-methods.js';
import { createServiceContext, type RuntimeServicePorts } from './context.js';
import { resourceMethods } from './resource-methods.js';
import { sandboxMethods } from './sandbox-methods.js';
import { statsMethods } from './stats-methods.js';

/** The version in the response to Version; it is not the version of the CRI. */
const criVersion = '0.1.0';

const driverNames = { cgroupfs: 'CGROUPFS', systemd: 'SYSTEMD' } as const;

/** The CRI's RuntimeService: validates requests and converts records to messages. */
export function createRuntimeService(ports: RuntimeServicePorts): RuntimeService {
  const context = createServiceContext(ports);
  const { unary } = context;
  return {
    ...sandboxMethods(context),
    ...containerMethods(context),
    ...resourceMethods(context),
    ...statsMethods(context),
    version: unary('Version', () => ({
      version: criVersion,
      runtimeName: ports.runtimeName,
      runtimeVersion: version,
      runtimeApiVersion: 'v1',
    })),
    status: unary('Status', async (_request, signal) => {
      const started = ports.live();
      const isStarted = started !== undefined;
      const runtime = { type: 'RuntimeReady', status: isStarted, ...(isStarted ? ready : stopped) };
      const network = await started?.networkStatus(signal);
      const problem = network === undefined ? stopped : network.ready ? ready : { reason: network.reason, message: network.message };
      const runtimeHandlers = started?.handlers.list().map((handler) => toRuntimeHandler(handler, started.hasUserNamespaces)) ?? [];
      const userNamespacesHostNetwork = runtimeHandlers.some(({ features }) => features?.userNamespaces);
      return {
        status: { conditions: [runtime, { type: 'NetworkReady', status: network?.ready ?? false, ...problem }] },
        info: {},
        runtimeHandlers,
        features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork },
      };
    }),
    runtimeConfig: unary('RuntimeConfig', () => ({ linux: { cgroupDriver: driverNames[ports.cgroupDriver] } })),
    // The pod network comes from CNI configurations, not from the node's pod CIDR.
    updateRuntimeConfig: unary('UpdateRuntimeConfig', () => ({})),

    getContainerEvents: (_request, options) => ports.live()?.events.subscribe(options?.signal) ?? failingStream(notStarted()),
    checkpointContainer: unary('CheckpointContainer', async ({ containerId = '', location = '', timeout }) => {
      const { containers, checkpoint } = context.live();
      await checkpoint(containers.running(containerId), location, timeoutMs(timeout));
      return {};
    }),
  };
}

const ready = { reason: '', message: '' };
const stopped = { reason: 'NotStarted', message: 'the runtime is not started' };
