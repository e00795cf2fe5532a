import { arch } from 'node:process';
import type { Node, NodeFeatures, PodAdmitHandler, ResourceList } from '@nodeagent/api';
import type { NodeStatusSettings } from '@nodeagent/node-status';
import { goArchitecture, standaloneNode } from '@nodeagent/node-status/decisions';
import { createNodeAdmission, type NodeAdmissionOptions } from '@nodeagent/pod-admission';
import type { NodeHost } from '../host/node-host.js';
import type { AgentNode } from '../options/agent-options.js';

export interface StandaloneNodeOptions extends Omit<NodeAdmissionOptions, 'node' | 'fetchNode' | 'allowedUnsafeSysctls'> {
  nodeName: string;
  node: AgentNode | undefined;
  host: Pick<NodeHost, 'machineResources'>;
  /** What eviction keeps free. */
  evictionReserves: NodeStatusSettings['evictionReserves'];
  /** `nodeAllocatable` of the agent's options: takes the place of what follows from the machine. */
  nodeAllocatable?(): ResourceList;
  /** What the container runtime can do. */
  features(): NodeFeatures | undefined;
}

/** The Node that pods have to fit where there is no API server to have it. */
export interface StandaloneNode {
  /** Reads the machine. Rejects with `InvalidNodeAllocatable` if more is reserved than there is. */
  load(): Promise<void>;
  /** `status.allocatable`; undefined before {@link load}. */
  allocatable(): ResourceList | undefined;
  /** Asks the handlers that a node of a cluster has, in their order. Refuses nothing before {@link load}. */
  admitHandler: PodAdmitHandler;
}

/** Creates a {@link StandaloneNode}. Uses the decisions of `@nodeagent/node-status` alone, without its reports and the lease. */
export function createStandaloneNode(options: StandaloneNodeOptions): StandaloneNode {
  const { nodeName, host, evictionReserves, features, nodeAllocatable } = options;
  const { hostname = nodeName, nodeLabels, allowedUnsafeSysctls = [], maxPods = 110, podsPerCore = 0, ...reserved } = options.node ?? {};
  let base: Node | undefined;
  let handlers: readonly PodAdmitHandler[] = [];

  const allocatable = () => base && { ...base.status?.allocatable, ...nodeAllocatable?.() };
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
      handlers = createNodeAdmission({ ...options, node, allowedUnsafeSysctls });
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
