import { adapters } from './adapters/index.js';
import { runConformance } from './run.js';
import { withoutAdapter } from './without-adapter.js';

process.exitCode = await runConformance(process.argv.slice(2), { adapters, withoutAdapter });
