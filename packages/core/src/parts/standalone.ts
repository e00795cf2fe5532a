import type { Node, PodAdmitHandler, ResourceList } from '@nodeagent/api';
import { standaloneNode } from '@nodeagent/node-status/decisions';
import { createNodeAdmission } from '@nodeagent/pod-admission';
import type { AgentParts, Components } from '../components.js';
import { admissionPorts } from './node/admission-ports.js';

/** The Node of an agent without an API server, for admission. */
export interface StandaloneNode {
  /** Reads the machine's capacity. Rejects with `InvalidNodeAllocatable` if reservations exceed it. */
  load(): Promise<void>;
  /** `status.allocatable`; undefined before {@link load}. */
  allocatable(): ResourceList | undefined;
  /** Runs the admission handlers of a cluster's node, in their order. Rejects nothing before {@link load}. */
  admitHandler: PodAdmitHandler;
}

/**
 * The Node and its admission handlers; undefined in a cluster. Uses only the pure decisions of `@nodeagent/node-status`: no status reports,
 * no lease.
 */
export function standalone(c: Components): AgentParts['standalone'] {
  const { agent, eviction, devices, common } = c;
  if (agent.cluster !== undefined) return undefined;
  const { allowedUnsafeSysctls = [] } = agent.node ?? {};
  const evictionReserves = eviction?.reserves;
  let base: Node | undefined;
  let handlers: readonly PodAdmitHandler[] = [];

  const allocatable = () => base && { ...base.status?.allocatable, ...devices?.resources().allocatable, ...agent.nodeAllocatable?.() };
  const node = (): Node => {
    const features = c.monitor.health()?.features;
    return { ...base, status: { ...base?.status, allocatable: allocatable() ?? {}, ...(features && { features }) } };
  };

  return {
    async load() {
      base = standaloneNode({ ...nodeInput(c), ...(evictionReserves && { evictionReserves }), machine: await c.host.machineResources() });
      handlers = createNodeAdmission({
        ...admissionPorts(c),
        ...common,
        node,
        ...(devices && { devicesInUse: devices.devicesInUse }),
        allowedUnsafeSysctls,
      });
    },
    allocatable,
    admitHandler: {
      async admit(attributes, signal) {
        for (const handler of handlers) {
          const result = await handler.admit(attributes, signal);
          if (!result.admit) return result;
        }
        return { admit: true };
      },
    },
  };
}

/** The labels, limits and reservations of the options. */
function nodeInput({ agent, host }: Components) {
  const { nodeName, node = {} } = agent;
  const { hostname = nodeName, nodeLabels, allowedUnsafeSysctls: _, maxPods = 110, podsPerCore = 0, ...reserved } = node;
  return {
    nodeName,
    hostname,
    operatingSystem: 'linux',
    architecture: host.machine.architecture ?? 'amd64',
    ...(nodeLabels && { labels: nodeLabels }),
    maxPods,
    podsPerCore,
    ...reserved,
  };
}
