/** Codes of the errors that this package throws. */
export const envtestErrorCodes = {
  /** A flag of a stand-in is unknown or has an invalid value. */
  invalidFlag: 'InvalidFlag',
  /** The URL of `--etcd-servers` is not that of the etcd stand-in. */
  etcdUnavailable: 'EtcdUnavailable',
  /** The machine is not one on which the stand-ins run. */
  unsupportedPlatform: 'UnsupportedPlatform',
} as const;
