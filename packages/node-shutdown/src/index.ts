/**
 * The graceful shutdown of a node: ends its pods by rising priority while systemd's logind delays the shutdown of the machine.
 * The pure functions and parts that it is made of are in `@nodeagent/node-shutdown/decisions`, and
 * `@nodeagent/node-shutdown/node` has logind and the state in a file.
 *
 * @packageDocumentation
 */
export { nodeShutdownErrorCodes } from './errors.js';
export {
  checkShutdownSettings,
  type ShutdownGroup,
  type ShutdownPeriod,
  type ShutdownSettings,
  shutdownSettings,
} from './shutdown-groups.js';
export type { ShutdownInhibitor, ShutdownWatcher } from './shutdown-inhibitor.js';
export { createShutdownManager, type ShutdownManager, type ShutdownManagerOptions } from './shutdown-manager.js';
export type { ShutdownState, ShutdownStateStore } from './shutdown-state.js';
export type { ShutdownKill } from './terminate-group.js';
