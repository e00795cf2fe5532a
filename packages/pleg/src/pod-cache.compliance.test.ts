import { defineSuite, podCacheSuite } from '@nodeagent/compliance';
import { describe, it } from 'vitest';
import { createPodCache } from './pod-cache.js';

describe('the pod cache keeps the promises of a', () => {
  defineSuite({ describe, it }, podCacheSuite, () => ({ subject: { cache: createPodCache() } }));
});
