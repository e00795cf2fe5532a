import { runTraces } from './run.js';
import { scenarios } from './scenarios/index.js';

process.exitCode = await runTraces(process.argv.slice(2), { scenarios });
