/** A finished part of a long search. */
export interface Part {
  name: string;
  /** From 1. */
  index: number;
  /** Number of parts of the search. */
  count: number;
  schedules: number;
  pruned: number;
  exhausted: boolean;
  elapsedMs: number;
  rssMiB: number;
  date: string;
  commit: string;
  /** The report of a failure. */
  failure?: string;
}

/** The table of docs/reliability-runs.md. */
export function partsTable(parts: readonly Part[]): string {
  const names = [...new Set(parts.map(({ name }) => name))];
  const rows = names.map((name) => {
    const own = parts.filter((part) => part.name === name);
    const schedules = own.reduce((sum, part) => sum + part.schedules, 0);
    const seconds = own.reduce((sum, part) => sum + part.elapsedMs, 0) / 1_000;
    const failures = own.filter(({ failure }) => failure !== undefined).length;
    const commits = [...new Set(own.map(({ commit }) => commit))].join(', ');
    const memory = Math.max(...own.map(({ rssMiB }) => rssMiB));
    return `| \`${name}\` | ${number(schedules)} | ${failures} | ${number((schedules / seconds) * 60)} | ${memory} | ${commits} |`;
  });
  const dates = [...new Set(parts.map(({ date }) => date))].sort().join(', ');
  const head = '| controller | schedules | failures | schedules a minute, one process | memory, MiB | commits |';
  return [`On ${dates}:`, '', head, '| --- | --: | --: | --: | --: | --- |', ...rows].join('\n');
}

const number = (value: number) => Math.round(value).toLocaleString('en-US');
