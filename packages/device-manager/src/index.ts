/**
 * Device plugins of a node.
 *
 * @packageDocumentation
 */
export { deviceManagerErrorCodes } from './errors.js';
