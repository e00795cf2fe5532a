import type { Random } from '@nodeagent/api';
import { fnv1a128 } from '@nodeagent/api/helpers';
import { seededRandom } from '@nodeagent/testing';

export const pick = <T>(random: Random, choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;

/** A whole number from `from` up to and including `to`. */
export const between = (random: Random, from: number, to: number): number => from + Math.floor(random() * (to - from + 1));

/** A whole number of milliseconds until the next of events that happen independently of each other, every `meanMs` on average. */
export const exponential = (random: Random, meanMs: number): number => Math.round(-meanMs * Math.log(1 - random()));

/** Randomness that belongs to something with a name: it does not depend on what else was drawn before. */
export const randomOf = (...name: readonly unknown[]): Random => seededRandom(Number(fnv1a128(name.join('/')) & 0xffff_ffffn));
