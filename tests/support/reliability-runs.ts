import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The page with the results of long runs. The programs that run them write its sections, each between two marks. */
const page = fileURLToPath(new URL('../../docs/reliability-runs.md', import.meta.url));

/** The recorded text of a section. */
export function recordedRun(section: string): string {
  const { text, start, end } = find(section);
  return text.slice(start, end).trim();
}

/** Replaces the text of a section. */
export function recordRun(section: string, content: string): void {
  const { text, start, end } = find(section);
  writeFileSync(page, `${text.slice(0, start)}\n${content.trim()}\n\n${text.slice(end)}`);
}

/** Date and commit of a run that ends now. */
export function runFacts(): { date: string; commit: string } {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim();
  return { date: new Date().toISOString().slice(0, 10), commit };
}

function find(section: string): { text: string; start: number; end: number } {
  const text = readFileSync(page, 'utf8');
  const mark = `<!-- written by ${section} -->\n`;
  const start = text.indexOf(mark);
  const end = text.indexOf('<!-- end -->', start);
  if (start < 0 || end < 0) throw new Error(`${page} has no section "${mark.trim()}"`);
  return { text, start: start + mark.length, end };
}
