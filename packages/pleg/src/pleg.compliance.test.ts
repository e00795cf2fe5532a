import { defineSuite, type PlegSubject, plegSuite } from '@nodeagent/compliance';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createEventedPleg } from './evented-pleg.js';
import { createGenericPleg, type GenericPlegOptions } from './generic-pleg.js';
import { createPodCache } from './pod-cache.js';

const subjectOf = (create: (options: GenericPlegOptions) => ReturnType<PlegSubject['create']>['pleg']): { subject: PlegSubject } => {
  const clock = createVirtualClock();
  return {
    subject: {
      create(runtime) {
        const cache = createPodCache();
        return { pleg: create({ runtime, cache, clock }), cache };
      },
      advance: clock.advance,
    },
  };
};

describe('the generic generator complies with', () => {
  defineSuite({ describe, it }, plegSuite, () => subjectOf(createGenericPleg));
});

describe('the evented generator without events complies with', () => {
  async function* containerEvents(signal: AbortSignal) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    yield* [];
  }
  defineSuite({ describe, it }, plegSuite, () => subjectOf((options) => createEventedPleg({ ...options, containerEvents })));
});
