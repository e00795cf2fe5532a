/**
 * The files of container logs on this machine.
 *
 * @packageDocumentation
 */
export { nodeLogFiles } from './node-log-files.js';
export { nodeLogSource } from './read/node-log-source.js';
