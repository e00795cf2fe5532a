/**
 * Streams of containers by pod and container name. A separate entry, which does not load the server and runs anywhere.
 *
 * @packageDocumentation
 */
export { createNodeStreaming } from './adapters/node-streaming.js';
export type { NodeStreaming, RequestedStreams } from './ports.js';
