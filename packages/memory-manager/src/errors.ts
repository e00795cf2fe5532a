/** The codes of this package's errors. */
export const memoryManagerErrorCodes = {
  /** No NUMA nodes have the memory that a container requests. */
  allocationFailed: 'MemoryAllocationFailed',
  /** The state file is corrupt, or differs from the policy or the machine. `details.path` is the file, absent for the pure functions. */
  invalidState: 'InvalidMemoryManagerState',
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
} as const;
