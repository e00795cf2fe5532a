/**
 * Searches for the faults of a controller: the same scenario in a cluster in virtual time, under the crashes, stale caches and conflicts that real
 * clusters produce.
 *
 * @packageDocumentation
 */
export { canonicalEnd, type Normalize } from './canonical.js';
export type { Controller, ControllerContext } from './controller.js';
export {
  type Disturbance,
  type DisturbanceKind,
  disturbances,
  disturbanceTimes,
  parseSchedule,
  type Schedule,
  scheduleText,
} from './disturbance.js';
export { disturbancesAt } from './disturbances-at.js';
export { type Exploration, explore, type Failure, replay } from './explore.js';
export { endsAlike, standardInvariants } from './invariants/invariants.js';
export type { Operation } from './operation.js';
export type { ExploreOptions, SearchOptions, Setup } from './options.js';
export type { Broken, ControllerWrite, EndObject, Invariant, Run } from './run.js';
export type { Delivery } from './watch-gate.js';
