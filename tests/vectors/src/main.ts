import { adapters } from './adapters/index.js';
import { runConformance } from './run.js';

process.exitCode = await runConformance(process.argv.slice(2), adapters);
