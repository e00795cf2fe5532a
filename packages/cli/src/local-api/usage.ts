import type { Summary } from '@nodeagent/api';
import type { Usage, UsageAnswer } from './answers.js';

/** The part of a summary that `nodeagent top` shows. */
export function usageOf({ node, pods }: Summary): Pick<UsageAnswer, 'nodeUsage' | 'podUsage'> {
  return {
    nodeUsage: usage(node.cpu?.usageNanoCores, node.memory?.workingSetBytes, node.fs?.usedBytes),
    podUsage: pods.map(({ podRef: { namespace, name }, cpu, memory, 'ephemeral-storage': storage }) => ({
      namespace,
      name,
      ...usage(cpu?.usageNanoCores, memory?.workingSetBytes, storage?.usedBytes),
    })),
  };
}

function usage(nanoCores?: bigint, memoryBytes?: bigint, diskBytes?: bigint): Usage {
  const known = Object.entries({ nanoCores, memoryBytes, diskBytes }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [name, Number(value)]));
}
