/**
 * Searches the batch controller of examples/controller-test.
 *
 *     node_modules/.bin/tsx examples/explore-controller/batch.ts [SCHEDULES]
 */
import { explore } from '@nodeagent/explore';
import { options, setup } from './batch-scenario.js';

const { schedules, elapsedMs, failure } = await explore(setup, { ...options, schedules: Number(process.argv[2] ?? 100) });
console.error(`${schedules} schedules in ${Math.round(elapsedMs / 1_000)} s`);
console.log(failure?.text ?? 'every schedule ends with a complete batch');
