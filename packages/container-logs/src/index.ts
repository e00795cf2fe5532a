/**
 * The logs of containers: rotates them by size without losing a line, and reads them as `kubectl logs` does, also while they grow and are
 * rotated. Decisions are pure functions, with small loops that carry them out.
 *
 * @packageDocumentation
 */
export { type ContainerEndedOptions, untilContainerEnds } from './container-ended.js';
export { type ContainerLogReader, type ContainerLogReaderOptions, createContainerLogReader } from './container-log-reader.js';
export { containerLogsErrorCodes } from './errors.js';
export { type LogFiles, nodeLogFiles } from './log-files.js';
export { createLogRotator, type LogRotator, type LogRotatorOptions } from './log-rotator.js';
export { type LogState, planRotation, type RotationStep } from './plan-rotation.js';
export type { LogChunk } from './read/log-decoder.js';
export { createLogReader, type LogReader, type LogReaderOptions, type LogReadOptions } from './read/log-reader.js';
export { type LogFolderListener, type LogSource, nodeLogSource, type OpenLog } from './read/log-source.js';
export { detectFormat, type LineProblem, type LogFormat, type LogLine, parseCriLine, parseDockerLine } from './read/parse-line.js';
export { findTailStart, type ReadableFile } from './read/tail-start.js';
export { formatTimestamp, isBefore, type LogTimestamp, parseTimestamp } from './read/timestamp.js';
export type { LogRotatorSettings } from './settings.js';
