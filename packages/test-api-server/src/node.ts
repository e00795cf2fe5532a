/**
 * The network of this machine for the API server: sockets, TLS and certificates.
 *
 * @packageDocumentation
 */

export { type CommandPorts, runCommand } from './command/run-command.js';
export { readServiceUrls, writeServiceCertificate } from './command/service-urls.js';
export { applyFiles } from './files/apply-files.js';
export { createTestAuthority } from './http/certificates.js';
export { machineNetwork } from './http/machine-network.js';
export { type FileStorageOptions, fileStorage } from './storage/file-storage.js';
