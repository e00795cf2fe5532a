/**
 * Rotates the logs of running containers by size, as a kubelet does: a pure plan, and a small loop that carries it out over CRI.
 *
 * @packageDocumentation
 */
export { containerLogsErrorCodes } from './errors.js';
export { type LogFiles, nodeLogFiles } from './log-files.js';
export { createLogRotator, type LogRotator, type LogRotatorOptions } from './log-rotator.js';
export { type LogState, planRotation, type RotationStep } from './plan-rotation.js';
export type { LogRotatorSettings } from './settings.js';
