/**
 * The files and the network of this machine for the runtime manager.
 *
 * @packageDocumentation
 */
export { nodeFiles } from './node-files.js';
export { createFileActuatedState } from './sync/file-actuated-state.js';
export { nodeHttpGet } from './sync/node-http-get.js';
