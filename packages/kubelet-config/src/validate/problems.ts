import { parseNanos } from '../duration.js';

/** Collects the errors of a configuration, in the kubelet's words and order. */
export interface ConfigurationProblems {
  /** Adds the error unless `holds` is true. */
  check(holds: boolean, problem: string): void;
  /** Adds an error without a prefix. */
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

/** Parses a duration to nanoseconds; 0 for an absent one. A number is nanoseconds already. */
export const nanosOf = (duration: string | number | undefined): bigint =>
  typeof duration === 'number' ? BigInt(duration) : (parseNanos(duration ?? '0s') ?? 0n);

export const isWithin = (value: number, min: number, max: number) => value >= min && value <= max;

/** The quoted names, separated by commas, with a word before the last. */
export function oneOf(names: readonly string[], word: string): string {
  const quoted = names.map((name) => `"${name}"`);
  return `${quoted.slice(0, -1).join(', ')} ${word} ${quoted.at(-1)}`;
}
