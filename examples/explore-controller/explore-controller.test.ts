import { explore, scheduleText } from '@nodeagent/explore';
import { describe, expect, it } from 'vitest';
import { examples } from './examples.js';
import { exploreOptions, setup } from './site-controller.js';

describe.each(Object.entries(examples))('%s', (_, example) => {
  it('is found, and is mended', async () => {
    const { failure } = await explore(setup, exploreOptions(example, example.faulty));
    expect(failure?.broken.length).toBeGreaterThan(0);
    const schedule = scheduleText(failure?.schedule ?? []);
    const options = exploreOptions(example, example.mended);
    const mended = await explore(setup, { ...options, schedules: 15 });
    expect({ schedule, text: mended.failure?.text }).toEqual({ schedule, text: undefined });
  });
});
