import type { Adapter } from './adapter.js';
import { subjectOf } from './vectors.js';

/** The subjects that a run replays, and those without an adapter. */
export interface ReplayedSubjects {
  adapters: readonly Adapter[];
  /** Why a subject has no adapter. */
  withoutAdapter: Readonly<Record<string, string>>;
}

const list = 'tests/vectors/src/without-adapter.ts';

/** Subjects whose adapters, files and entries in the list of subjects without an adapter do not match; stale ones are found only in a whole set. */
export function subjectProblems(
  files: readonly string[],
  { adapters, withoutAdapter }: ReplayedSubjects,
  { isWholeSet }: { isWholeSet: boolean },
): string[] {
  const adapted = new Set(adapters.map(({ name }) => name));
  const listed = Object.keys(withoutAdapter);
  const recorded = new Set(files.map(subjectOf));
  const stale = (subjects: Iterable<string>) => (isWholeSet ? [...subjects].filter((subject) => !recorded.has(subject)) : []);
  return [
    ...[...recorded]
      .filter((subject) => !adapted.has(subject) && !listed.includes(subject))
      .map((subject) => `${subject} has no adapter: write one, or add the subject to ${list} with the reason`),
    ...listed.filter((subject) => adapted.has(subject)).map((subject) => `${subject} has an adapter: remove it from ${list}`),
    ...stale(adapted).map((subject) => `the adapter of ${subject} has no vector file: record one, or remove the adapter`),
    ...stale(listed).map((subject) => `${subject} has no vector file: remove it from ${list}`),
  ];
}
