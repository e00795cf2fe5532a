/** The codes of this package's errors. */
export const allocationErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The stored allocations are corrupt; `details.path` is the original file, `details.setAside` the renamed one. */
  invalidCheckpoint: 'InvalidAllocationCheckpoint',
} as const;
