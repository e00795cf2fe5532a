// write-reference.mjs: writes the pages docs/reference/settings.md, error-codes.md, metrics.md and events.md from the sources. Fails if a
// setting, a code, a metric or an event has no description.
// It exists because documentation generators list declarations, not the calls that report metrics and events.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/pnpm.mjs';
import { errorCodesPage } from './lib/reference/error-codes.mjs';
import { eventsPage } from './lib/reference/events.mjs';
import { metricsPage } from './lib/reference/metrics.mjs';
import { settingsPage } from './lib/reference/settings.mjs';
import { parsedPackages } from './lib/reference/sources.mjs';

const packages = parsedPackages();
const pages = {
  settings: await settingsPage(),
  'error-codes': errorCodesPage(packages),
  metrics: metricsPage(packages),
  events: eventsPage(packages),
};
for (const [name, text] of Object.entries(pages)) writeFileSync(join(root, 'docs', 'reference', `${name}.md`), `${text.trimEnd()}\n`);
