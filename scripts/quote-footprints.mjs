// quote-footprints.mjs [--check]: writes what each package costs into its README, from the table of docs/packages.md, which
// measure-packages.mjs measures. --check only compares.
// It exists so that a README and the table never differ, and a check of that needs no measurement.
import { writeFootprintLines } from './lib/footprint-table.mjs';

const check = process.argv.includes('--check');
const stale = writeFootprintLines({ check });
if (check && stale.length > 0) {
  console.error(`${stale.join(', ')}: the footprint differs from docs/packages.md: run \`node scripts/quote-footprints.mjs\``);
  process.exit(1);
}
