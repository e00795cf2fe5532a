/**
 * Ensures that a container image is present and that a pod may use it: pull policies, back-off, limits, registry credentials, pull
 * records. `@nodeagent/image-manager/decisions` exports its pure functions, `@nodeagent/image-manager/node` credentials and records in files.
 *
 * @packageDocumentation
 */
export type { CriImageManager, CriImageRequest, ImageManagerOptions } from './contracts.js';
export { type CredentialProviderPlugin, parseCredentialProviderConfig, type TokenAttributes } from './credential-provider-config.js';
export type {
  CredentialProvider,
  CredentialSource,
  RegistryAuth,
  SecretCoordinates,
  ServiceAccountCoordinates,
  TrackedCredential,
} from './credentials.js';
export { imageErrorCodes } from './errors.js';
export { createImageManager } from './image-manager.js';
export { createMemoryPullRecords } from './memory-pull-records.js';
export type { PodCredentials } from './must-attempt-pull.js';
export { createPodImages, type PodImagesOptions } from './pod-images.js';
export type { ServiceAccounts } from './pod-tokens.js';
export type { ImagePullManager } from './pull-manager.js';
export type { ImagePullCredentials, ImagePulledRecord, ImagePullIntent, PullRecordStore, RecordedSecret } from './pull-record.js';
export { getPullSecrets, type PullSecretPorts } from './pull-secrets.js';
export { type ImageManagerSettings, imageManagerSettings } from './settings.js';
export type { VerificationPolicy } from './verification-policy.js';
