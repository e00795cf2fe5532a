/** The codes of this package's errors. A failed probe is a result, not an error. */
export const proberErrorCodes = {
  /** An option or a probe's setting is out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** A target with this name already exists. Details: `name`. */
  targetExists: 'TargetExists',
  /** A target was added after `stop()`. */
  stopped: 'ProberStopped',
} as const;

/** The code of {@link RunCommand}'s timeout error, which is that of a CRI client. */
export const commandTimeout = 'CRI_DEADLINE_EXCEEDED';
