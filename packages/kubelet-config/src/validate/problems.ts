import { parseNanos } from '../duration.js';

/** Collects what is wrong with a configuration, in the kubelet's words and order. */
export interface ConfigurationProblems {
  /** Notes the problem unless the rule holds. */
  check(holds: boolean, problem: string): void;
  /** Notes a problem that is said as it is. */
  add(problem: string): void;
  list(): string[];
}

export function createConfigurationProblems(): ConfigurationProblems {
  const found: string[] = [];
  return {
    check(holds, problem) {
      if (!holds) found.push(`invalid configuration: ${problem}`);
    },
    add: (problem) => void found.push(problem),
    list: () => found,
  };
}

export const second = 1_000_000_000n;

/** Nanoseconds; 0 for an absent duration. A number is nanoseconds already. */
export const nanosOf = (duration: string | number | undefined): bigint =>
  typeof duration === 'number' ? BigInt(duration) : (parseNanos(duration ?? '0s') ?? 0n);

export const isWithin = (value: number, least: number, most: number) => value >= least && value <= most;

/** The names quoted, with commas, and a word before the last. */
export function oneOf(names: readonly string[], word: string): string {
  const quoted = names.map((name) => `"${name}"`);
  return `${quoted.slice(0, -1).join(', ')} ${word} ${quoted.at(-1)}`;
}
