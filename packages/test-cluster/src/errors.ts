/** The codes of this package's errors. */
export const testClusterErrorCodes = {
  /** A duration that cannot be read. */
  invalidDuration: 'InvalidDuration',
  /** There is no node of this name, or there is one already. */
  unknownNode: 'UnknownNode',
  /** What was asked for needs a node that runs, or one that does not. */
  wrongNodeState: 'WrongNodeState',
} as const;
