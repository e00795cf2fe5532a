import { expect, it } from 'vitest';
import { withSELinuxContext } from './mount-options.js';

it('adds a label as a quoted mount option; without a label it adds none', () => {
  const label = 'system_u:object_r:container_file_t:s0:c1,c2';
  expect(withSELinuxContext(['noatime'], label)).toEqual(['noatime', `context="${label}"`]);
  expect(withSELinuxContext(['noatime'], '')).toEqual(['noatime']);
});
