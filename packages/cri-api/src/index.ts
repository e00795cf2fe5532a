/**
 * The Container Runtime Interface v1 as plain TypeScript: the services {@link RuntimeService} and {@link ImageService} and their
 * messages. Types only; nothing of this package exists at run time.
 *
 * - 64-bit integers are `bigint`, bytes are `Uint8Array`, enums are the names that the CRI gives them.
 * - A message that can be part of a request may leave fields out; absent means the proto3 default (`''`, `0`, `false`, empty).
 *   A message that only occurs in responses is complete, except for message-typed fields that the runtime did not set.
 *
 * @packageDocumentation
 */
export type * from './call-options.js';
export type * from './messages.js';
export type * from './services.js';
