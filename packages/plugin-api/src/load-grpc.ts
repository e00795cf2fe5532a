import { lstatSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Of this file, in either of the module systems that the package is built for. */
const requireHere = createRequire(typeof __filename === 'undefined' ? import.meta.url : __filename);

/**
 * gRPC, which is loaded when it is first needed. Not by `import()`: in about one of a hundred agents that start on a busy machine, Node 20
 * answers that with a module all of whose exports are undefined, and does so for as long as the process lives.
 *
 * The folder is inspected for a side effect. If the last file that the process inspected was a FIFO or a socket, Node 20's loader does not
 * resolve symlinks (see `unlinkIfExists`), and gRPC, which package managers often link, does not find its own dependencies.
 */
export function loadGrpc(): typeof import('@grpc/grpc-js') {
  lstatSync('/');
  return requireHere('@grpc/grpc-js');
}
