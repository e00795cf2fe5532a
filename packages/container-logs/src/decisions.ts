/**
 * The decisions about container logs: when to rotate a log, how to parse a line, where the last lines start.
 *
 * @packageDocumentation
 */
export { type LogState, planRotation, type RotationStep } from './plan-rotation.js';
export { detectFormat, type LineProblem, type LogFormat, type LogLine, parseCriLine, parseDockerLine } from './read/parse-line.js';
export { findTailStart } from './read/tail-start.js';
export { formatTimestamp, isBefore, type LogTimestamp, parseTimestamp } from './read/timestamp.js';
