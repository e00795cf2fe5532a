/**
 * The decisions on container logs: when a log is rotated, what a line says, where the last lines begin.
 *
 * @packageDocumentation
 */
export { type LogState, planRotation, type RotationStep } from './plan-rotation.js';
export { detectFormat, type LineProblem, type LogFormat, type LogLine, parseCriLine, parseDockerLine } from './read/parse-line.js';
export { findTailStart } from './read/tail-start.js';
export { formatTimestamp, isBefore, type LogTimestamp, parseTimestamp } from './read/timestamp.js';
