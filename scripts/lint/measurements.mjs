// measurements.mjs: each section of a page with measurements must name the command that produces them, and the command must exist. It exists
// because a value that no command measures again cannot be compared with the next one.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../lib/pnpm.mjs';
import { reportProblems } from './source-files.mjs';

const pages = ['docs/performance.md', 'docs/reliability.md'];
const measurement = /(?:^|[\s|(])\d[\d.,]*(?: (?:s|ms|µs|MiB|GiB|MB|GB|KB|kB|times)\b| %)/m;
const command = /\bnpm (?:run ([\w:.-]+)|(test)\b)(?: -- --only ([\w.-]+))?/g;

/** What exists: the scripts of package.json, and whether there is a benchmark of a name. */
const repository = {
  scripts: Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts),
  hasBenchmark: (name) => name !== 'main' && existsSync(join(root, 'bench', `${name}.ts`)),
};

/** The problems of one page, as `path:line: text`. */
export function measurementProblems(path, text, { scripts, hasBenchmark } = repository) {
  return sectionsOf(text).flatMap(({ title, line, body }) => {
    const at = `${path}:${line}: the section "${title}"`;
    const commands = [...body.matchAll(command)];
    if (commands.length === 0) return measurement.test(body) ? [`${at} has measurements, but names no command that produces them`] : [];
    return commands.flatMap(([whole, run, test, only]) => {
      const script = run ?? test;
      if (!scripts.includes(script)) return [`${at} names "${whole}", but package.json has no script "${script}"`];
      if (script === 'bench' && only !== undefined && !hasBenchmark(only))
        return [`${at} names "${whole}", but there is no bench/${only}.ts`];
      return [];
    });
  });
}

/** The parts of a page below each heading, without those of its lower headings. Lines of code blocks are no headings. */
function sectionsOf(text) {
  const sections = [];
  let isCode = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) isCode = !isCode;
    const title = isCode ? undefined : /^#+ (.*)/.exec(line)?.[1];
    if (title !== undefined) sections.push({ title, line: index + 1, body: '' });
    else if (sections.length > 0) sections.at(-1).body += `${line}\n`;
  }
  return sections;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  reportProblems(
    'measurements',
    pages.flatMap((page) => measurementProblems(page, readFileSync(join(root, page), 'utf8'))),
  );
}
