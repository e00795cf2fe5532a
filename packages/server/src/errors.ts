/** The codes of this package's errors. */
export const serverErrorCodes = {
  /** An option is missing or of the wrong kind; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The server cannot listen on its address, for example because it is in use; `cause` is the system's error. */
  listenFailed: 'ListenFailed',
  /** A certificate or key cannot be read or does not match; `details.path` names the file. */
  certificateUnusable: 'CertificateUnusable',
  /** The pod has no running container of that name. */
  containerNotFound: 'ContainerNotFound',
  /** A command in a container exited with a code other than 0; `details.exitCode`. */
  commandFailed: 'CommandFailed',
  /** No checkpoint is written now: one is in progress, or the disk is nearly full. Retryable. */
  checkpointRefused: 'CheckpointRefused',
} as const;
