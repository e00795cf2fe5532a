import { lstatSync } from 'node:fs';
import { createRequire } from 'node:module';
import { errorCode } from '@nodeagent/api';

/** Of this file, in either of the module systems that the package is built for. */
const requireHere = createRequire(typeof __filename === 'undefined' ? import.meta.url : __filename);

/**
 * grpc-js, loaded with a server's first connection. By `require`: in about one of a hundred agents that start on a busy machine, Node 20 answers
 * `import()` with a module all of whose exports are undefined, and does so for as long as the process runs. `import()` is for users who
 * bundle their program: their bundler includes the file because of it.
 *
 * The folder is inspected for a side effect. If the last file that the process inspected was a FIFO or a socket, Node 20's loader does not
 * resolve symlinks (see `unlinkIfExists`), and a linked package does not find its own dependencies.
 */
export async function loadGrpcJs(): Promise<typeof import('@grpc/grpc-js')> {
  lstatSync('/');
  try {
    return requireHere('./grpc-js.cjs');
  } catch (error) {
    if (errorCode(error) !== 'MODULE_NOT_FOUND') throw error;
    return import('./grpc-js.cjs');
  }
}
