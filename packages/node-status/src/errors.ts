/** Error codes of this package. Errors of the API server and of the ports pass through unchanged. */
export const nodeStatusErrorCodes = {
  /** An option is invalid; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** Reservations exceed the node's capacity; `details.resources` names the resources. */
  invalidReservation: 'InvalidNodeAllocatable',
  /** A configured node IP is invalid: not an address of the machine, or not reachable from other hosts. */
  invalidNodeIP: 'InvalidNodeIP',
  /** No address of the node was found. Retryable. */
  noNodeAddress: 'NoNodeAddress',
  /** The informer does not have the Node. Retryable. */
  nodeUnknown: 'NodeUnknown',
  /** Several attempts to patch the node's status failed. Retryable; `cause` is the last failure. */
  statusUpdateFailed: 'NodeStatusUpdateFailed',
  /** The API server did not answer in time. Retryable. */
  callTimedOut: 'ApiCallTimedOut',
  /** Several attempts to renew the lease failed. Retryable. */
  leaseUpdateFailed: 'LeaseUpdateFailed',
  /** A fact of the machine could not be read. Retryable. */
  machineUnreadable: 'MachineUnreadable',
} as const;
