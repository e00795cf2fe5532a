import { chooseRuntime, type RuntimeChoice } from '../machine/choose-runtime.js';
import { type Colour, paint } from '../terminal/paint.js';
import { printable } from '../terminal/printable.js';
import type { CheckStatus, Finding } from './check.js';
import type { DoctorFacts } from './doctor-facts.js';
import { kernelChecks } from './kernel-checks.js';
import { networkChecks } from './network-checks.js';
import { programChecks } from './program-checks.js';
import { resourceChecks } from './resource-checks.js';

/** All checks, in the order of the report. */
const checks = [...kernelChecks, ...programChecks, ...networkChecks, ...resourceChecks];

export interface DoctorReport {
  /** What "nodeagent run" does on this machine. */
  runtime: Pick<RuntimeChoice, 'type' | 'text'>;
  checks: (Finding & { name: string })[];
}

export function doctorReport(facts: DoctorFacts): DoctorReport {
  const { type, text } = chooseRuntime(facts);
  return { runtime: { type, text }, checks: checks.map(({ name, run }) => ({ name, ...run(facts) })) };
}

export const hasErrors = (report: DoctorReport) => report.checks.some(({ status }) => status === 'error');

const colours: Record<CheckStatus, Colour> = { ok: 'green', warning: 'yellow', error: 'red' };

export function renderReport({ runtime, checks: found }: DoctorReport, hasColours: boolean): string[] {
  const width = Math.max(...found.map(({ name }) => name.length)) + 2;
  const indent = ' '.repeat('warning'.length + 2 + width);
  const lines = found.flatMap(({ name, status, text, hint }) => {
    const label = status.padEnd('warning'.length + 2);
    const head = `${hasColours ? paint(colours[status], label) : label}${name.padEnd(width)}${printable(text)}`;
    return hint === undefined ? [head] : [head, `${indent}${printable(hint)}`];
  });
  const count = (status: CheckStatus) => found.filter((each) => each.status === status).length;
  const [errors, warnings] = [count('error'), count('warning')];
  return [...lines, '', `${plural(errors, 'error')}, ${plural(warnings, 'warning')}: ${printable(runtime.text)}`];
}

const plural = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
