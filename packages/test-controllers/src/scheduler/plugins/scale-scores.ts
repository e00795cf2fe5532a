/** Scales scores of 0 and more so that the largest is 100. */
export function scaleToLargest(scores: readonly number[]): number[] {
  const largest = Math.max(0, ...scores);
  return scores.map((score) => (largest === 0 ? 0 : Math.floor((100 * score) / largest)));
}
