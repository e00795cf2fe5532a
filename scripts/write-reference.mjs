// write-reference.mjs: writes the pages settings.md, error-codes.md, metrics.md, events.md and bundle-sizes.md of docs/reference from the sources and
// the budgets of bundles, and copies the READMEs of the packages to docs/packages. Fails if a setting, a code, a metric or an event has no
// description.
// It exists because documentation generators list declarations, not the calls that report metrics and events.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packages } from './lib/packages.mjs';
import { root } from './lib/pnpm.mjs';
import { bundleSizesPage } from './lib/reference/bundle-sizes.mjs';
import { errorCodesPage } from './lib/reference/error-codes.mjs';
import { eventsPage } from './lib/reference/events.mjs';
import { metricsPage } from './lib/reference/metrics.mjs';
import { settingsPage } from './lib/reference/settings.mjs';
import { parsedPackages } from './lib/reference/sources.mjs';

const parsed = parsedPackages();
const pages = {
  settings: await settingsPage(),
  'error-codes': errorCodesPage(parsed),
  metrics: metricsPage(parsed),
  events: eventsPage(parsed),
  'bundle-sizes': bundleSizesPage(),
};
for (const [name, text] of Object.entries(pages)) writeFileSync(join(root, 'docs', 'reference', `${name}.md`), `${text.trimEnd()}\n`);

const readmes = join(root, 'docs', 'packages');
rmSync(readmes, { recursive: true, force: true });
mkdirSync(readmes);
for (const { name, dir } of packages()) copyFileSync(join(dir, 'README.md'), join(readmes, `${name}.md`));
