import { allocationManagerSuite, defineSuite } from '@nodeagent/compliance';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createAllocationManager } from './allocation-manager.js';
import type { AllocationStore } from './allocation-store.js';
import type { Allocations } from './pod-allocation.js';

describe('the allocation manager keeps the promises of an', () => {
  defineSuite({ describe, it }, allocationManagerSuite, () => {
    const clock = createVirtualClock();
    let saved: Allocations | undefined;
    const store: AllocationStore = {
      load: async () => saved,
      async save(allocations) {
        saved = allocations;
      },
    };
    return { subject: { create: (ports) => createAllocationManager({ ...ports, clock, store }), advance: clock.advance } };
  });
});
