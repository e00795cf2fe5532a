import { defineSuite, probeManagerSuite } from '@nodeagent/compliance';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createPodProbeManager } from './pod-probe-manager.js';

describe('the probe manager keeps the promises of a', () => {
  defineSuite({ describe, it }, probeManagerSuite, () => {
    const clock = createVirtualClock();
    return { subject: { create: (ports) => createPodProbeManager({ ...ports, clock, random: seededRandom(1) }), advance: clock.advance } };
  });
});
