/**
 * Makes sure that a container image is present and that a pod may use it: pull policies, back-off, limits, registry logins, pull records.
 *
 * @packageDocumentation
 */
export type { CriImageManager, CriImageRequest, ImageManagerOptions } from './contracts.js';
export {
  type CredentialProviderPlugin,
  parseCredentialProviderConfig,
  type TokenAttributes,
} from './credential-provider-config.js';
export {
  type CredentialProvider,
  type CredentialSource,
  credentialHash,
  type RegistryAuth,
  type SecretCoordinates,
  type ServiceAccountCoordinates,
  type TrackedCredential,
} from './credentials.js';
export { createSecretKeyring, type DockerConfig, parseDockerConfigJson, parseDockercfg } from './docker-config.js';
export { createDockerConfigKeyring, type DockerConfigKeyringOptions } from './docker-config-file.js';
export { imageErrorCodes } from './errors.js';
export { createExecCredentialProvider, type ExecCredentialProviderOptions } from './exec-credential-provider.js';
export { createFilePullRecords, type FilePullRecordsOptions } from './file-pull-records.js';
export { createImageManager } from './image-manager.js';
export { createKeyring, type Keyring } from './keyring.js';
export { createMemoryPullRecords } from './memory-pull-records.js';
export {
  checkPullRecord,
  type MustPullReason,
  matchPodCredentials,
  type PodCredentials,
  type RecordVerdict,
} from './must-attempt-pull.js';
export { createPodImages, type PodImagesOptions } from './pod-images.js';
export type { ServiceAccounts } from './pod-tokens.js';
export { describePullFailure } from './pull-image.js';
export { createImagePullManager, type ImagePullManager, type ImagePullManagerOptions } from './pull-manager.js';
export {
  credentialsOfPull,
  type ImagePullCredentials,
  type ImagePulledRecord,
  type ImagePullIntent,
  mergeRecord,
  type PullRecordStore,
  type RecordedSecret,
  trimImageName,
} from './pull-record.js';
export { getPullSecrets, type PullSecretPorts } from './pull-secrets.js';
export { registryUrlMatches } from './registry-url.js';
export type { PluginCommand, RunPlugin } from './run-plugin.js';
export type { ImageManagerSettings } from './settings.js';
export { createVerificationPolicy, type RequiresVerification, type VerificationPolicy } from './verification-policy.js';
