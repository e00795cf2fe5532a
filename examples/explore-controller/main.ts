/**
 * Searches ten faulty controllers, and the mended ones.
 *
 *     node_modules/.bin/tsx examples/explore-controller/main.ts [SCHEDULES]
 */
import { explore, scheduleText } from '@nodeagent/explore';
import { examples } from './examples.js';
import { exploreOptions, setup } from './site-controller.js';

const schedules = Number(process.argv[2] ?? 100);
for (const [name, example] of Object.entries(examples)) {
  const { failure } = await explore(setup, { ...exploreOptions(example, example.faulty), schedules });
  const found = failure ? `${scheduleText(failure.schedule)}: ${failure.broken[0]?.invariant}` : 'nothing found';
  const mended = await explore(setup, { ...exploreOptions(example, example.mended), schedules });
  console.log(`${name}: ${found}; mended: ${mended.failure?.text ?? 'holds'}`);
}
