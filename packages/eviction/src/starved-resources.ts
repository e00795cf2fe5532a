import { Quantity } from '@nodeagent/api/helpers';
import { type ContainerStatsInput, read } from './stats-input.js';

/** The resource that is short while a threshold is met, as messages name it. */
export type StarvedResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

/** How messages describe the usage of a resource. */
export interface StarvedResourceDefinition {
  /** A pod's usage in an explanation: `uses 512Mi of memory`. */
  describeUsage(usage: bigint): string;
  /** Whether pods request it, so that explanations compare usage with the request. */
  isRequested: boolean;
  /** A container's usage in bytes; undefined without stats. Absent for resources whose eviction messages name no containers. */
  containerUsage?(stats: ContainerStatsInput): bigint | undefined;
}

const usesBytesOf = (resource: string) => (usage: bigint) => `uses ${Quantity.of(BigInt.asIntN(64, usage), 'BinarySI')} of ${resource}`;

/** The table of resources. Every resource needs an entry, which the compiler checks. */
export const starvedResources: Readonly<Record<StarvedResource, StarvedResourceDefinition>> = {
  memory: {
    describeUsage: usesBytesOf('memory'),
    isRequested: true,
    containerUsage: ({ memory }) => read(memory, 'workingSetBytes'),
  },
  'ephemeral-storage': {
    describeUsage: usesBytesOf('ephemeral-storage'),
    isRequested: true,
    containerUsage: ({ rootfs, logs }) => {
      const [layer, log] = [read(rootfs, 'usedBytes'), read(logs, 'usedBytes')];
      return layer === undefined || log === undefined ? undefined : layer + log;
    },
  },
  inodes: { describeUsage: (usage) => `uses ${usage} inodes`, isRequested: false },
  pids: { describeUsage: (usage) => `runs ${usage} processes`, isRequested: false },
};
