import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { factsOf } from './facts.js';
import type { Recording } from './record.js';

/** The recorded lines of a scenario; several where a real control plane acts by chance. */
export type Recorded = readonly (readonly string[])[];

const pathOf = (scenario: string) => fileURLToPath(new URL(`../recorded/${scenario}.jsonl`, import.meta.url));

/** The outcomes of a scenario on a real control plane. */
export function readRecorded(scenario: string): Recorded {
  const lines = readFileSync(pathOf(scenario), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const value = JSON.parse(line) as unknown;
    return Array.isArray(value) ? value.map((each) => JSON.stringify(each)) : [line];
  });
}

export const writeRecorded = (scenario: string, text: string): void => writeFileSync(pathOf(scenario), text);

/** The text of several recordings of a scenario. */
export function recordedText(recordings: readonly Recording[]): string {
  const [first = [], ...others] = recordings.map(factsOf);
  const lines = first.map((line, i) => [...new Set([line, ...others.flatMap((each) => each[i] ?? [])])]);
  return `${lines.map(([only = '', ...more]) => (more.length === 0 || isTimes(only) ? only : `[${[only, ...more].join()}]`)).join('\n')}\n`;
}

const isTimes = (line: string) => line.startsWith('{"times":');

/** The lines of a replay that differ from all recorded ones. */
export function differences(recording: Recording, recorded: Recorded): string[] {
  return factsOf(recording).flatMap((line, i) => {
    const [wanted = '', ...others] = recorded[i] ?? [];
    if (isTimes(line)) return timeDifferences(line, wanted);
    return [wanted, ...others].includes(line) ? [] : [`- ${wanted}\n+ ${line}`];
  });
}

/** Times may differ by two seconds or a fifth. Which of several pods was created or deleted does not count. */
function timeDifferences(line: string, wanted: string): string[] {
  const [ours, theirs] = [line, wanted].map((text) => (JSON.parse(text) as { times: Record<string, string[]> }).times);
  return Object.keys({ ...ours, ...theirs }).flatMap((name) => {
    const [a, b] = [timesOf(ours?.[name]), timesOf(theirs?.[name])];
    const isNear = a.length === b.length && a.every((time, i) => near(time, b[i]));
    return isNear ? [] : [`- ${name}: ${theirs?.[name]}\n+ ${name}: ${ours?.[name]}`];
  });
}

const near = (time: number, wanted = Number.NaN) => Math.abs(time - wanted) <= Math.max(2, wanted / 5);

/** `2 1 to 5`: two objects that existed from the first to the fifth second. All first seconds, then all last ones. */
function timesOf(texts: readonly string[] = []): number[] {
  const spans = texts.flatMap((text) => {
    const [count = 0, start = 0, end = 1e6] = text.match(/\d+/g)?.map(Number) ?? [];
    return Array.from({ length: count }, () => [start, end] as const);
  });
  return [0, 1].flatMap((i) => spans.map((span) => span[i] ?? 0).sort((a, b) => a - b));
}
