/**
 * The decisions of a graceful shutdown: which pods end together, and how long each group has.
 *
 * @packageDocumentation
 */
export { shutdownGroups, shutdownPeriods, shutdownSeconds } from './shutdown-groups.js';
export { shutdownStatus } from './terminate-group.js';
