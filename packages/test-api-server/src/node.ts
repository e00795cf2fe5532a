/**
 * The network of this machine for the API server: sockets, TLS and certificates.
 *
 * @packageDocumentation
 */

export { createTestAuthority } from './http/certificates.js';
export { machineNetwork } from './http/machine-network.js';
export { type FileStorageOptions, fileStorage } from './storage/file-storage.js';
