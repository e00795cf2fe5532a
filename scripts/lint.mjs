// lint.mjs: format and lint (biome), the dependency rules (dependency-cruiser), the conventions of lint/ (names of two meanings, log calls,
// option errors, classes, defaults of factories), the shared fields of every package.json, and whether the generated files, drawings and
// quotations are those of their sources.
import { join } from 'node:path';
import { root, run } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';

setup();
const bin = (tool) => join(root, 'node_modules', '.bin', tool);
run(bin('biome'), ['check', '--error-on-warnings', '.']);
run(bin('depcruise'), ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', 'packages', 'tests', 'bench', 'examples']);
run(process.execPath, ['scripts/lint/public-names.mjs']);
run(process.execPath, ['scripts/lint/log-calls.mjs']);
run(process.execPath, ['scripts/lint/option-errors.mjs']);
run(process.execPath, ['scripts/lint/classes.mjs']);
run(process.execPath, ['scripts/lint/factory-defaults.mjs']);
run(process.execPath, ['scripts/sync-packages.mjs', '--check']);
run(process.execPath, ['packages/cri-client/scripts/generate.mjs', '--check']);
run(process.execPath, ['scripts/draw-imports.mjs', '--check']);
run(process.execPath, ['scripts/find-lines.mjs', '--check']);
run(process.execPath, ['scripts/quote-code.mjs', '--check']);
