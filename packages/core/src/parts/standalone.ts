import { arch } from 'node:process';
import type { Node, NodeFeatures, PodAdmitHandler, ResourceList } from '@nodeagent/api';
import type { NodeStatusSettings } from '@nodeagent/node-status';
import { goArchitecture, standaloneNode } from '@nodeagent/node-status/decisions';
import { createNodeAdmission, type NodeAdmissionOptions } from '@nodeagent/pod-admission';
import type { NodeHost } from '../host/node-host.js';
import type { AgentNode } from '../options/agent-options.js';
import type { AgentDevices } from './devices.js';

export interface StandaloneNodeOptions extends Omit<NodeAdmissionOptions, 'node' | 'devicesInUse' | 'fetchNode' | 'allowedUnsafeSysctls'> {
  nodeName: string;
  node: AgentNode | undefined;
  host: Pick<NodeHost, 'machineResources'>;
  /** Hard eviction thresholds to subtract from allocatable. */
  evictionReserves: NodeStatusSettings['evictionReserves'];
  /** `nodeAllocatable` of the agent's options; replaces the allocatable computed from the machine. */
  nodeAllocatable?(): ResourceList;
  /** Default: the agent runs no device plugins. */
  devices?: Pick<AgentDevices, 'resources' | 'devicesInUse'>;
  /** Features of the container runtime. */
  features(): NodeFeatures | undefined;
}

/** The Node of an agent without an API server, for admission. */
export interface StandaloneNode {
  /** Reads the machine's capacity. Rejects with `InvalidNodeAllocatable` if reservations exceed it. */
  load(): Promise<void>;
  /** `status.allocatable`; undefined before {@link load}. */
  allocatable(): ResourceList | undefined;
  /** Runs the admission handlers of a cluster's node, in their order. Rejects nothing before {@link load}. */
  admitHandler: PodAdmitHandler;
}

/** Creates a {@link StandaloneNode}. Uses only the pure decisions of `@nodeagent/node-status`: no status reports, no lease. */
export function createStandaloneNode(options: StandaloneNodeOptions): StandaloneNode {
  const { nodeName, host, evictionReserves, features, devices, nodeAllocatable, node: given, ...admission } = options;
  const { hostname = nodeName, nodeLabels, allowedUnsafeSysctls = [], maxPods = 110, podsPerCore = 0, ...reserved } = given ?? {};
  let base: Node | undefined;
  let handlers: readonly PodAdmitHandler[] = [];

  const allocatable = () => base && { ...base.status?.allocatable, ...devices?.resources().allocatable, ...nodeAllocatable?.() };
  const node = (): Node => {
    const now = features();
    return { ...base, status: { ...base?.status, allocatable: allocatable() ?? {}, ...(now && { features: now }) } };
  };

  return {
    async load() {
      base = standaloneNode({
        nodeName,
        hostname,
        operatingSystem: 'linux',
        architecture: goArchitecture(arch),
        ...(nodeLabels && { labels: nodeLabels }),
        machine: await host.machineResources(),
        maxPods,
        podsPerCore,
        ...reserved,
        ...(evictionReserves && { evictionReserves }),
      });
      handlers = createNodeAdmission({
        ...admission,
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
