// write-api-reference.mjs: writes the API reference of all packages into docs/reference/api, one page for each entry point, and for each subject of
// a long one.
// It exists because the list of entry points follows from the `exports` of the packages.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { entriesOf } from './lib/entries.mjs';
import { packages } from './lib/packages.mjs';
import { root } from './lib/pnpm.mjs';
import { arrangePages, typedoc } from './lib/reference/api-pages.mjs';
import { repositoryUrl } from './lib/repository.mjs';

const { Application } = typedoc;
const output = join(root, 'docs', 'reference', 'api');
const entries = packages().flatMap(({ dir, manifest }) => entriesOf(manifest).map(({ id, source }) => ({ id, file: join(dir, source) })));

const app = await Application.bootstrapWithPlugins({
  options: join(root, 'docs', 'typedoc.json'),
  entryPoints: entries.map(({ file }) => file),
  disableGit: true,
  sourceLinkTemplate: `${repositoryUrl}/blob/main/packages/{path}#L{line}`,
});
const project = await app.convert();
if (project === undefined) process.exit(1);
for (const module of project.children) module.name = nameOf(module);
arrangePages(project);
await app.generateOutputs(project);
if (app.logger.hasErrors()) process.exit(1);
repairAnchors(output);
writeIndex(join(output, 'index.md'));

function nameOf(module) {
  const entry = entries.find(({ file }) => file === module.sources?.[0]?.fullFileName);
  if (entry === undefined) throw new Error(`no entry point for the module ${module.name}`);
  return entry.id.replace('@nodeagent/', '');
}

/** The first page of the reference: the entry points with the summaries of their packages, instead of a list of names. */
function writeIndex(file) {
  const rows = packages().map(({ manifest }) => {
    const pages = entriesOf(manifest).map(({ id }) => id.replace('@nodeagent/', ''));
    const links = pages.map((page) => `[${page}](${page}.md)`);
    return `| ${links.join('<br>')} | ${manifest.description} |`;
  });
  const text = [
    '# API',
    '',
    'This page is for everybody who imports the packages: what each entry point exports.',
    '',
    '| Entry points of `@nodeagent/` | Package |',
    '| --- | --- |',
    ...rows,
    '',
  ];
  writeFileSync(file, text.join('\n'));
}

/** The Markdown plugin counts headings that it leaves out: a link to the second heading of a name that has one becomes a link to that. */
function repairAnchors(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.md'));
  const pages = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  const headings = new Map([...pages].map(([file, text]) => [file, text.match(/^#+ .*$/gm)?.map(slugOf) ?? []]));
  for (const [file, text] of pages) {
    const repaired = text.replace(/\]\(([^)#\s]*)#([\w-]+)-1\)/g, (link, path, slug) => {
      const target = path === '' ? file : join(dirname(file), path);
      const isOnly = headings.get(target)?.filter((heading) => heading === slug).length === 1;
      return isOnly && !pages.get(target).includes(`<a id="${slug}-1">`) ? `](${path}#${slug})` : link;
    });
    if (repaired !== text) writeFileSync(join(folder, file), repaired);
  }
}

function slugOf(heading) {
  return heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
