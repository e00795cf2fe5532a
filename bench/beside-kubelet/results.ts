import type { Usage } from './measure-agent.js';
import type { Row } from './rows.js';

/** What one agent took in one round. */
export interface Measurement {
  /** Its name in tables, such as `Node 24.21.0`. */
  agent: string;
  round: number;
  usage: Usage;
}

/** The file of `NODEAGENT_BENCH_RESULTS`, which `scripts/draw-beside-kubelet.mjs` draws. */
export interface Results {
  /** Such as 2026-11-29. */
  date: string;
  machine: string;
  rows: readonly Row[];
  measurements: readonly Measurement[];
}

export const kubeletName = 'kubelet';

/** Values of rounds, sorted. */
export function spread(values: readonly number[]): { min: number; median: number; max: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
  return { min: sorted[0] ?? Number.NaN, median, max: sorted.at(-1) ?? Number.NaN };
}

/** The names of the agents beside the kubelet, in the order of the measurements. */
export const agentsOf = ({ measurements }: Results) =>
  [...new Set(measurements.map(({ agent }) => agent))].filter((agent) => agent !== kubeletName);

/** The value of each round. */
export const valuesOf = ({ measurements }: Results, agent: string, of: keyof Usage): number[] =>
  measurements.filter((measurement) => measurement.agent === agent).map(({ usage }) => usage[of]);

/** The agent's value of each round as a multiple of the kubelet's in that round. */
export function ratiosOf(results: Results, agent: string, of: keyof Usage): number[] {
  const kubelet = new Map(results.measurements.filter((one) => one.agent === kubeletName).map(({ round, usage }) => [round, usage[of]]));
  return results.measurements
    .filter((one) => one.agent === agent)
    .map(({ round, usage }) => usage[of] / (kubelet.get(round) ?? Number.NaN));
}
