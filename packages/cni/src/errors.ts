/** The `code` of every error that this package throws, besides `InvalidOption`. */
export const cniErrorCodes = {
  /** A network configuration breaks a rule of the CNI specification. Details: `file`, `field`. */
  invalidConfiguration: 'InvalidCniConfiguration',
  /** A plugin's result breaks the format. Details: `field`. */
  invalidResult: 'InvalidCniResult',
  /** The container ID, the interface name or an argument of an attachment is invalid. Details: `field`, `value`. */
  invalidAttachment: 'InvalidAttachment',
  /** No valid network configuration, or none of that name. Retryable. Details: `network`. */
  networkNotFound: 'NetworkNotFound',
  /** No plugin folder has an executable file of the plugin's type. Details: `plugin`, `path` if a file is not executable. */
  pluginNotFound: 'CniPluginNotFound',
  /**
   * A plugin failed. Details: `plugin`, `network`, `command`, and the `cniCode` of the CNI specification if the plugin wrote one. Retryable,
   * except for the codes 1, 2, 4, 6 and 7.
   */
  pluginFailed: 'CniPluginFailed',
  /** A plugin exceeded its time limit, and was killed with its child processes. Retryable. Details as of `CniPluginFailed`. */
  pluginTimedOut: 'CniPluginTimedOut',
  /** CHECK of an attachment without a cached result, or of a network whose CNI version has no CHECK. Details: `network`. */
  checkUnavailable: 'CniCheckUnavailable',
  /** A network namespace cannot be created or removed. Retryable. Details: `path`. */
  namespaceFailed: 'NetworkNamespaceFailed',
} as const;
