import { type ContainerStats, Quantity } from '@nodeagent/api';

/** What a node is short of while a threshold is met; messages use these names. */
export type StarvedResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

/** How messages describe usage of a resource. */
export interface StarvedResourceDefinition {
  /** Usage of a pod, as an explanation words it: `uses 512Mi of memory`. */
  describeUsage(usage: bigint): string;
  /** Whether pods request it, so that explanations compare usage with the request. */
  isRequested: boolean;
  /** Bytes that a container uses; undefined without stats. Absent where eviction messages name no containers. */
  containerUsage?(stats: ContainerStats): bigint | undefined;
}

const usesBytesOf = (resource: string) => (usage: bigint) => `uses ${Quantity.of(BigInt.asIntN(64, usage), 'BinarySI')} of ${resource}`;

/** The table of resources: a resource without an entry does not compile. */
export const starvedResources: Readonly<Record<StarvedResource, StarvedResourceDefinition>> = {
  memory: {
    describeUsage: usesBytesOf('memory'),
    isRequested: true,
    containerUsage: ({ memory }) => memory?.workingSetBytes,
  },
  'ephemeral-storage': {
    describeUsage: usesBytesOf('ephemeral-storage'),
    isRequested: true,
    containerUsage: ({ rootfs, logs }) =>
      rootfs?.usedBytes === undefined || logs?.usedBytes === undefined ? undefined : rootfs.usedBytes + logs.usedBytes,
  },
  inodes: { describeUsage: (usage) => `uses ${usage} inodes`, isRequested: false },
  pids: { describeUsage: (usage) => `runs ${usage} processes`, isRequested: false },
};
