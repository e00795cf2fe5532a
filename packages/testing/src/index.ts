/**
 * For tests of node software: a virtual clock, and an in-memory CRI runtime with scripted behaviour and faults.
 *
 * @packageDocumentation
 */
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './clock/virtual-clock.js';
