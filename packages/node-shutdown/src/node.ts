/**
 * Delays the shutdown of this machine through systemd's logind, and keeps the times of the last shutdown in a file.
 *
 * @packageDocumentation
 */
export { createFileShutdownState } from './file-shutdown-state.js';
export { createLogindInhibitor, type LogindInhibitorOptions } from './logind-inhibitor.js';
