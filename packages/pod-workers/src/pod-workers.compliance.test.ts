import { defineSuite, podWorkersSuite } from '@nodeagent/compliance';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createPodWorkers } from './pod-workers.js';

describe('the pod workers keep the promises of', () => {
  defineSuite({ describe, it }, podWorkersSuite, () => {
    const clock = createVirtualClock();
    return { subject: { create: (ports) => createPodWorkers({ ...ports, clock, random: seededRandom(1) }), advance: clock.advance } };
  });
});
