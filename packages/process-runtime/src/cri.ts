/**
 * What any CRI server in TypeScript needs: calls with deadlines, container events, timestamps, filters, log paths, records with 64-bit
 * integers, the streaming server, and the image `host`.
 *
 * @packageDocumentation
 */
export { type Calls, createCalls, failingStream } from './calls.js';
export { logPathOf } from './container-config.js';
export { createEventPublisher, type PublishEvent } from './event-publisher.js';
export { createEventHub, type EventHub } from './events.js';
export { findById } from './find-by-id.js';
export { hostImageId, isHostImage } from './host-image.js';
export { createImageService as createHostImageService } from './image-service.js';
export { matchesContainer, matchesSandbox } from './record-filters.js';
export { decodeRecord, encodeRecord } from './record-json.js';
export { checkCommand, notStarted, timeoutMs } from './service/requests.js';
export { signalNumber } from './signals.js';
export { createStamps, type Stamps } from './stamps.js';
export { createStartStop } from './start-stop.js';
export { connectLocally } from './streaming/port-forward.js';
export { requestedStreams } from './streaming/requested-streams.js';
export { createStreamingServer, type StreamingServer } from './streaming/streaming-server.js';
export { createTerminal, type TerminalCommand } from './streaming/terminal.js';
