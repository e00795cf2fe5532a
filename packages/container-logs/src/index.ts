/**
 * The logs of containers: rotates them by size without losing a line, and reads them as `kubectl logs` does, also while they grow and are
 * rotated. `@nodeagent/container-logs/decisions` exports the pure functions, `@nodeagent/container-logs/node` the files of this machine.
 *
 * @packageDocumentation
 */

export { type ContainerLogReader, type ContainerLogReaderOptions, createContainerLogReader } from './container-log-reader.js';
export { containerLogsErrorCodes } from './errors.js';
export type { LogFiles } from './log-files.js';
export { createLogRotator, type LogRotator, type LogRotatorOptions } from './log-rotator.js';
export type { LogChunk } from './read/log-decoder.js';
export { createLogReader, type LogReader, type LogReaderOptions, type LogReadOptions } from './read/log-reader.js';
export type { LogFolderListener, LogSource, OpenLog } from './read/log-source.js';
export type { ReadableFile } from './read/tail-start.js';
export { type LogRotatorSettings, logRotatorSettings } from './settings.js';
export { type WaitForContainerExitOptions, waitForContainerExit } from './wait-for-container-exit.js';
