/**
 * The decisions of an image manager: which credentials match an image, whether a pod must pull a present image, and the pull manager
 * that maintains the pull records.
 *
 * @packageDocumentation
 */
export { credentialHash } from './credentials.js';
export {
  createSecretKeyring,
  type DockerConfig,
  type DockerConfigOptions,
  parseDockerConfigJson,
  parseDockercfg,
} from './docker-config.js';
export { createKeyring, type Keyring } from './keyring.js';
export { checkPullRecord, type MustPullReason, matchPodCredentials, type RecordVerdict } from './must-attempt-pull.js';
export { describePullFailure } from './pull-image.js';
export { createImagePullManager, type ImagePullManagerOptions } from './pull-manager.js';
export { credentialsOfPull, mergeRecord, trimImageName } from './pull-record.js';
export { registryUrlMatches } from './registry-url.js';
export { createVerificationPolicy, type RequiresVerification } from './verification-policy.js';
