import { beforeAll, describe, expect, it } from 'vitest';
import { knownDifferences } from './known-differences.js';
import type { Recording } from './record.js';
import { differences, readRecorded } from './recorded.js';
import { replay } from './replay.js';
import { scenarios } from './scenarios.js';

/** Every third one: `npm run replay-controllers` replays all. */
const some = scenarios.filter(({ name }, i) => i % 3 === 0 && !name.startsWith('cron-job'));

describe('in a scenario, the controllers do what those of a real control plane did:', () => {
  const recordings = new Map<string, Recording>();
  beforeAll(async () => {
    for (const recording of await replay(some)) recordings.set(recording.scenario, recording);
  });

  const found = (name: string) => differences(recordings.get(name) as Recording, readRecorded(name));

  it.each(some.filter(({ name }) => !knownDifferences[name]))('$name', ({ name }) => {
    expect(found(name)).toEqual([]);
  });

  it.each(some.filter(({ name }) => knownDifferences[name]))('$name, but for its known difference', ({ name }) => {
    expect(found(name)).not.toEqual([]);
  });
});
