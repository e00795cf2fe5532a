/** The codes of the errors that this package makes. What goes wrong while probing is a probe's outcome and no error. */
export const proberErrorCodes = {
  /** An option or a probe's setting is out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** A target of this name is being probed already. Details: `name`. */
  targetExists: 'TargetExists',
} as const;

/** The code with which {@link RunCommand} says that the command took longer than it may: that of a CRI client. */
export const commandTimeout = 'CRI_DEADLINE_EXCEEDED';
