/**
 * Registry credentials of this machine, from files and exec plugins, and pull records in files.
 *
 * @packageDocumentation
 */
export { createDockerConfigKeyring, type DockerConfigKeyringOptions } from './docker-config-file.js';
export { createExecCredentialProvider, type ExecCredentialProviderOptions } from './exec-credential-provider.js';
export { createFilePullRecords, type FilePullRecordsOptions } from './file-pull-records.js';
export type { PluginCommand, RunPlugin } from './run-plugin.js';
