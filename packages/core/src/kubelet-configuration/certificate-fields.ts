import type { FieldReaders } from './field-readers.js';

/** The certificates that the node requests. */
export const certificateFields = {
  rotateCertificates: (rotateCertificates) => ({ certificates: { rotateCertificates } }),
  serverTLSBootstrap: (serverTLSBootstrap) => ({ certificates: { serverTLSBootstrap } }),
} satisfies FieldReaders;
