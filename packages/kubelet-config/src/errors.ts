/** The `code` of every error of this package. */
export const kubeletConfigErrorCodes = {
  /** An option is missing; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** A file is no KubeletConfiguration, or a value in it has the wrong type; `details.problems` lists what is wrong. */
  invalidConfiguration: 'InvalidKubeletConfiguration',
  /** A configuration file or folder cannot be read; `details.path` names it. */
  configurationUnreadable: 'KubeletConfigurationUnreadable',
} as const;
