/** The codes of the errors that this package makes. */
export const allocationErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The saved allocations are damaged; `details.path` is where they were, `details.setAside` where they are now. */
  invalidCheckpoint: 'InvalidAllocationCheckpoint',
} as const;
