const stepsMs = [2_000, 4_000, 8_000, 16_000];
const jitter = 0.1;

/** Interval of all later attempts, in milliseconds. */
const pollMs = 32_000;

/**
 * The delay after that many failed attempts of one rotation, in milliseconds: 2, 4, 8 and 16 s, each up to 10 % longer, then 32 s.
 *
 * @param failures at least 1
 * @param random in [0, 1)
 */
export function rotationBackoffMs(failures: number, random: number): number {
  const step = stepsMs[failures - 1];
  return step === undefined ? pollMs : step * (1 + jitter * random);
}
