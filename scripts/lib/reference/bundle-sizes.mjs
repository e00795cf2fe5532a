import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../pnpm.mjs';

/** The page of the sizes of entries in a browser, from the budgets that check-runtimes.mjs checks. */
export function bundleSizesPage() {
  const budgets = Object.entries(JSON.parse(readFileSync(join(root, 'scripts', 'bundle-budgets.json'), 'utf8')));
  const ofBrowsers = budgets.filter(([, budget]) => typeof budget === 'number');
  const ofNode = budgets.filter(([, budget]) => budget === 'node');
  return [
    '# Sizes of the entries',
    '',
    'For authors of pages: how large each entry is in a browser, and which entries need Node.',
    '',
    'A size is the limit that CI checks: the entry with all it imports, bundled and minified by esbuild for browsers, and compressed by gzip. A page that',
    'uses one function of an entry is smaller.',
    '',
    '| Entry | KiB, at most |',
    '| --- | ---: |',
    ...ofBrowsers.map(([name, kib]) => `| \`@nodeagent/${name}\` | ${kib} |`),
    '',
    '## Entries that need Node',
    '',
    ...ofNode.map(([name]) => `- \`@nodeagent/${name}\``),
  ].join('\n');
}
