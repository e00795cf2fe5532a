// check-site.mjs: checks the built documentation site: every internal link has its page and its anchor, and no page loads a resource from
// another host, so that the site works offline; and no page of the API reference is too long to read.
// It exists because the dead-link check of VitePress covers neither anchors nor the sidebar.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from './lib/pnpm.mjs';

const site = join(root, 'docs', '.vitepress', 'dist');
const base = process.env.DOCS_BASE ?? '/';
const files = readdirSync(site, { recursive: true }).filter((file) => file.endsWith('.html'));
const pages = new Map(files.map((file) => [file, readFileSync(join(site, file), 'utf8')]));
const anchors = new Map(
  [...pages].map(([file, html]) => [file, new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => unescaped(id)))]),
);
const isAsset = (name) => name !== '' && /\.\w+$/.test(name) && !name.endsWith('.html') && existsSync(join(site, name));
/** About 40,000 pixels: api-pages.mjs splits entry points by subject. */
const maxReferenceBytes = 400_000;
/** Each problem with the pages that have it. */
const problems = new Map();
const report = (file, problem) => problems.set(problem, [...(problems.get(problem) ?? []), file]);
let links = 0;
/** The pages that another page links to. */
const linked = new Set(['index.html', '404.html']);

for (const [file, html] of pages) {
  if (file.startsWith('reference/api/') && html.length > maxReferenceBytes) report(file, 'the page is too long: split what it describes');
  for (const [, href] of html.matchAll(/<a\s[^>]*?href="([^"]*)"/g)) checkLink(file, unescaped(href));
  for (const [tag, url] of html.matchAll(/<(?:script|img|link|iframe|source)\s[^>]*?(?:src|href)="([^"]*)"[^>]*>/g))
    if (/^(https?:)?\/\//.test(url)) report(file, `loads from another host: ${tag}`);
}
for (const file of readdirSync(join(site, 'assets'), { recursive: true }).filter((name) => name.endsWith('.css')))
  if (/url\(["']?(https?:)?\/\//.test(readFileSync(join(site, 'assets', file), 'utf8'))) report(file, 'a style loads from another host');

function checkLink(file, href) {
  if (/^(https?|mailto):/.test(href)) return;
  links += 1;
  const [path, fragment] = href.split('#');
  const target =
    path === '' ? file : fileOf(posix.join('/', posix.dirname(file), path.startsWith('/') ? relativeToBase(file, path) : path));
  if (target !== undefined && target !== file) linked.add(target);
  if (target === undefined) report(file, `no such page: ${href}`);
  else if (fragment && anchors.has(target) && !anchors.get(target).has(decodeURIComponent(fragment)))
    report(file, `no such anchor: ${href}`);
}

/** The path from the folder of a page to a path that begins with the base. */
function relativeToBase(file, path) {
  return posix.relative(posix.join('/', posix.dirname(file)), posix.join('/', path.slice(base.length))) + (path.endsWith('/') ? '/' : '');
}

/** The file behind an address of the site; undefined if there is none. */
function fileOf(path) {
  const name = path.slice(1);
  return [name, `${name}.html`, posix.join(name, 'index.html')].find((candidate) => pages.has(candidate) || isAsset(candidate));
}

function unescaped(text) {
  return text.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

for (const file of pages.keys()) if (!linked.has(file)) report(file, 'no page links to it: add it to docs/.vitepress/sidebar.mts');

for (const [problem, [first, ...others]] of problems)
  console.error(`check-site: ${problem} (${first}${others.length > 0 ? ` and ${others.length} other pages` : ''})`);
console.log(`${pages.size} pages, ${links} internal links, ${problems.size} problems`);
process.exit(problems.size > 0 ? 1 : 0);
