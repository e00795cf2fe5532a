/** The codes of the errors that this package makes. Errors of the API server and of the ports pass through as they are. */
export const nodeStatusErrorCodes = {
  /** An option cannot be; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** More is reserved than the node has; `details.resources` names what. */
  invalidReservation: 'InvalidNodeAllocatable',
  /** An address of the node that nobody could reach it by. */
  invalidNodeIP: 'InvalidNodeIP',
  /** No address of the node was found. Retryable. */
  noNodeAddress: 'NoNodeAddress',
  /** The local copy does not have the Node, yet or any more. Retryable. */
  nodeUnknown: 'NodeUnknown',
  /** Several tries to report the node's status failed. Retryable; `cause` is the last failure. */
  statusUpdateFailed: 'NodeStatusUpdateFailed',
  /** The API server did not answer in time. Retryable. */
  callTimedOut: 'ApiCallTimedOut',
  /** The lease could not be renewed in several tries. Retryable. */
  leaseUpdateFailed: 'LeaseUpdateFailed',
  /** A fact of the machine could not be read. Retryable. */
  machineUnreadable: 'MachineUnreadable',
} as const;
