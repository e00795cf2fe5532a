import { type SettingTable, wholeNumberFrom } from '@nodeagent/api/helpers';

/** An entry of `enforceNodeAllocatable` of KubeletConfiguration. */
export type Enforcement = 'pods' | 'system-reserved' | 'kube-reserved' | 'system-reserved-compressible' | 'kube-reserved-compressible';

/** The settings of the container manager, with the names and defaults of KubeletConfiguration. */
export const containerManagerSettings = {
  /** What is limited to its allocatable or reserved amount. Default `pods`. */
  enforceNodeAllocatable: { default: ['pods'] as readonly Enforcement[], field: 'enforceNodeAllocatable' },
  /** Maximum number of processes of a pod. Default -1: no limit. */
  podPidsLimit: { default: -1, field: 'podPidsLimit' },
  /**
   * Share of the memory requests of guaranteed and burstable pods that pods of lower QoS classes may not use, in percent
   * (`qosReserved`). Default 0: they may use all.
   */
  qosReservedMemoryPercent: {
    default: 0,
    unit: '%',
    check: { rule: 'a whole percentage from 0 to 100', accepts: wholeNumberFrom(0, 100).accepts },
  },
  /** Whether another kernel setting is an error instead of being changed. Default false. */
  protectKernelDefaults: { default: false, field: 'protectKernelDefaults' },
} satisfies SettingTable;
