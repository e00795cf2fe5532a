import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Report, Subject } from './report.js';

export interface WriteOptions {
  from: string;
  to: string;
  /** Which files to replace; another pattern than `*` keeps the others. */
  only: string;
}

/** Replaces the set by the kept lines, the companions of the full set and `thinning.json`; returns the size of the whole set. */
export function writeThinned({ from, to, only }: WriteOptions, subjects: readonly Subject[], report: Report): number {
  const reportFile = join(to, 'thinning.json');
  const others: Partial<Report> = only !== '*' && existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : {};
  if (only === '*') rmSync(to, { recursive: true, force: true });
  for (const { file, lines, kept } of subjects) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    writeFileSync(join(to, file), `${kept.map((index) => lines[index]).join('\n')}\n`);
  }
  const companions = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
  for (const file of companions) cpSync(join(from, file), join(to, file));

  const all = Object.entries({ ...others.subjects, ...report.subjects }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(reportFile, `${JSON.stringify({ ...report, subjects: Object.fromEntries(all) }, undefined, 1)}\n`);
  const files = readdirSync(to, { recursive: true, encoding: 'utf8' }).map((file) => statSync(join(to, file)));
  return files.filter((stats) => stats.isFile()).reduce((sum, { size }) => sum + size, 0);
}
