/** Error codes of this package. */
export const kubeletConfigErrorCodes = {
  /** An option is missing; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** A file is not a KubeletConfiguration, or a value has the wrong type; `details.problems` lists the errors. */
  invalidConfiguration: 'InvalidKubeletConfiguration',
  /** A configuration file or directory cannot be read; `details.path` names it. */
  configurationUnreadable: 'KubeletConfigurationUnreadable',
} as const;
