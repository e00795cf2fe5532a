/**
 * The decisions of volume plugins: the files of a config map, a secret, the downward API and a projected volume, the size of a volume in
 * memory, and when a token is refreshed.
 *
 * @packageDocumentation
 */
export { validatePayloadPath } from './atomic-writer/validate-path.js';
export { type DownwardApiItems, downwardApiPayload } from './payload/downward-api-payload.js';
export { nestedMountPoints } from './payload/nested-mount-points.js';
export { configMapPayload, type KeySelection, secretPayload } from './payload/object-payload.js';
export { type ProjectionContext, projectedPayload } from './payload/projected-payload.js';
export { hugePagesMountOption, memoryMountOptions, memoryVolumeSize } from './plugins/empty-dir-size.js';
export { checkHostPath, type FileKind, type HostPathFiles } from './plugins/host-path-check.js';
export { isTokenExpired, requiresTokenRefresh } from './tokens/token-refresh.js';
