/** The error codes of this package. */
export const testClusterErrorCodes = {
  /** A resource claim is not reserved for the pod that uses it. */
  claimNotReserved: 'ClaimNotReserved',
  /** A duration cannot be parsed. */
  invalidDuration: 'InvalidDuration',
  /** The node does not exist, or exists already. */
  unknownNode: 'UnknownNode',
  /** The call needs a running agent, or a stopped one. */
  wrongNodeState: 'WrongNodeState',
} as const;
