import type { AgentResourceManagers } from '../options/resource-managers.js';
import { type FieldEffect, type FieldReaders, positiveMilliseconds, unlessEmpty } from './field-readers.js';

const managers = (resourceManagers: AgentResourceManagers): FieldEffect => ({ agent: { resourceManagers } });

/** CPU, memory and topology managers. The managers check policies and options. */
export const resourceManagerFields = {
  cpuManagerPolicy: (policy) => managers({ cpuManagerPolicy: policy as NonNullable<AgentResourceManagers['cpuManagerPolicy']> }),
  cpuManagerPolicyOptions: (cpuManagerPolicyOptions) => managers({ cpuManagerPolicyOptions }),
  cpuManagerReconcilePeriod: (period) =>
    managers({ cpuManagerReconcilePeriodMs: positiveMilliseconds('cpuManagerReconcilePeriod', period) }),
  reservedSystemCPUs: (text) => unlessEmpty(text, (reservedSystemCPUs) => managers({ reservedSystemCPUs })),
  memoryManagerPolicy: (policy) => managers({ memoryManagerPolicy: policy as NonNullable<AgentResourceManagers['memoryManagerPolicy']> }),
  reservedMemory: (reservations) =>
    managers({ reservedMemory: reservations.map(({ numaNode = 0, limits = {} }) => ({ numaNode, limits })) }),
  topologyManagerPolicy: (policy) =>
    managers({ topologyManagerPolicy: policy as NonNullable<AgentResourceManagers['topologyManagerPolicy']> }),
  topologyManagerScope: (scope) => managers({ topologyManagerScope: scope as NonNullable<AgentResourceManagers['topologyManagerScope']> }),
  topologyManagerPolicyOptions: (topologyManagerPolicyOptions) => managers({ topologyManagerPolicyOptions }),
} satisfies FieldReaders;
