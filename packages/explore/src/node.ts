/**
 * Controllers that are programs of this machine.
 *
 * @packageDocumentation
 */
export { type CommandControllerOptions, commandController } from './command-controller.js';
