// measure-packages.mjs [--budgets]: installs every package from its tarball and writes its costs into the table of docs/packages.md, and a line of it
// into each README: packages, size, and the processor time and memory of loading it. --budgets also updates scripts/package-budgets.json, a little
// above the measured values; the commit of that file states the reason for growth. The smoke test compares with the budgets.
//
// It exists beside size-limit, which measures the size and the start of one bundle: what users of these packages pay for is what npm
// installs with them, and that in one installation of all tarballs instead of one for each package.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildablePackages, buildPackages } from './lib/build.mjs';
import { measurePackages, overBudget } from './lib/footprint.mjs';
import { writeFootprintLines, writeFootprintTable } from './lib/footprint-table.mjs';
import { installPacked } from './lib/install-packed.mjs';
import { root } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';

const budgetsFile = join(root, 'scripts', 'package-budgets.json');

setup();
const { values: flags } = parseArgs({ options: { budgets: { type: 'boolean', default: false } } });
if (!buildPackages({ types: true })) process.exit(1);
const built = buildablePackages();
const { consumer } = await installPacked(built);
const names = built.map(({ name }) => name);
const footprints = await measurePackages(consumer, names, { runs: 3, width: 1 });
writeFootprintTable(footprints);
writeFootprintLines();
if (flags.budgets) writeBudgets();
const problems = overBudget(footprints, JSON.parse(readFileSync(budgetsFile, 'utf8')));
for (const problem of problems) console.error(`measure: ${problem}`);
process.exit(problems.length > 0 ? 1 : 0);

/** 5 % of room in the size; four times the processor time and three times the memory, as slow machines must pass. */
function writeBudgets() {
  const roundUp = (value, unit) => Math.ceil(value / unit) * unit;
  const lines = Object.entries(footprints).map(([name, { packages, kB, ...loaded }]) => {
    const most = (key) => Math.max(loaded.import[key], loaded.require[key]);
    const budget = {
      packages,
      kB: roundUp(kB * 1.05, 10),
      ms: roundUp(Math.max(50, most('ms')) * 4, 100),
      rssMB: roundUp(Math.max(5, most('rssMB')) * 3, 5),
    };
    return `  ${JSON.stringify(name)}: ${JSON.stringify(budget).replaceAll(':', ': ').replaceAll(',', ', ').replace('{', '{ ').replace('}', ' }')}`;
  });
  writeFileSync(budgetsFile, `{\n${lines.join(',\n')}\n}\n`);
}
