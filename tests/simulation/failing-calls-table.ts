import { boundOf, repetitionsOf } from './call-bounds.js';
import type { FailingOutcome } from './failing-calls.js';

/** How often a failing call was made for one object, in all runs in which it failed. */
export interface FailingRate {
  call: string;
  phases: string[];
  runs: number;
  /** Of the busiest object, in its busiest minute. */
  perMinute: number;
  /** Of the busiest object, in ten minutes. */
  inTenMinutes: number;
}

/** Recorded rates, with the date and commit of the run. */
export interface RecordedRates {
  date: string;
  commit: string;
  rates: FailingRate[];
}

/** What a process reports about a run. */
export interface RunSummary extends Pick<FailingOutcome, 'phase' | 'evented' | 'failing' | 'problems' | 'healedAfterSeconds'> {
  perMinute: number;
  inTenMinutes: number;
}

export function summaryOf({ rates, ...outcome }: FailingOutcome): RunSummary {
  const own = rates.filter(({ name }) => name === outcome.failing?.call);
  return {
    ...outcome,
    perMinute: Math.max(0, ...own.map(({ perMinute }) => perMinute)),
    inTenMinutes: Math.max(0, ...own.map(({ calls }) => calls)),
  };
}

/** The rates of each failing call. */
export function ratesOf(summaries: readonly RunSummary[]): FailingRate[] {
  const rates = new Map<string, FailingRate>();
  for (const { failing, phase, perMinute, inTenMinutes } of summaries) {
    const call = failing?.call ?? '';
    const rate = rates.get(call) ?? { call, phases: [], runs: 0, perMinute: 0, inTenMinutes: 0 };
    rates.set(call, rate);
    rate.runs++;
    if (!rate.phases.includes(phase)) rate.phases.push(phase);
    rate.perMinute = Math.max(rate.perMinute, perMinute);
    rate.inTenMinutes = Math.max(rate.inTenMinutes, inTenMinutes);
  }
  return [...rates.values()].sort((a, b) => (a.call < b.call ? -1 : 1));
}

/** Calls in ten minutes that the bound allows. */
function allowedInTenMinutes(call: string): number {
  const { burst, periodMs } = boundOf({ name: call });
  return Math.floor(burst + 600_000 / periodMs);
}

/** The rates as Markdown. */
export function ratesTable({ date, commit, rates }: RecordedRates): string {
  const runs = rates.reduce((sum, rate) => sum + rate.runs, 0);
  const rows = rates.map(({ call, perMinute, inTenMinutes, ...rate }) => {
    const reasons = repetitionsOf({ name: call }).map(({ by }) => by);
    return `| \`${call}\` | ${rate.runs} | ${perMinute} | ${inTenMinutes} | ${allowedInTenMinutes(call)} | ${reasons.join('; ')} |`;
  });
  return [
    `${runs} runs on ${date} at ${commit}.`,
    '',
    '| failing call | runs | calls in the busiest minute | in ten minutes | allowed in ten minutes | repeated by |',
    '| --- | --: | --: | --: | --: | --- |',
    ...rows,
  ].join('\n');
}
