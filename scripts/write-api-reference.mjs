// write-api-reference.mjs: writes the API reference of all packages into docs/reference/api, one page for each entry point.
// It exists because the list of entry points follows from the `exports` of the packages.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { entriesOf } from './lib/entries.mjs';
import { packages } from './lib/packages.mjs';
import { root } from './lib/pnpm.mjs';

const { Application } = await import(pathToFileURL(createRequire(join(root, 'docs', 'package.json')).resolve('typedoc')));
const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const entries = packages().flatMap(({ dir, manifest }) => entriesOf(manifest).map(({ id, source }) => ({ id, file: join(dir, source) })));

const app = await Application.bootstrapWithPlugins({
  options: join(root, 'docs', 'typedoc.json'),
  entryPoints: entries.map(({ file }) => file),
  disableGit: true,
  sourceLinkTemplate: `${homepage}/blob/main/packages/{path}#L{line}`,
});
const project = await app.convert();
if (project === undefined) process.exit(1);
for (const module of project.children ?? []) {
  const entry = entries.find(({ file }) => file === module.sources?.[0]?.fullFileName);
  if (entry === undefined) throw new Error(`no entry point for the module ${module.name}`);
  module.name = entry.id.replace('@nodeagent/', '');
}
await app.generateOutputs(project);
if (app.logger.hasErrors()) process.exit(1);
