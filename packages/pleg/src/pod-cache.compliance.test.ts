import { defineSuite, podCacheSuite } from '@nodeagent/compliance';
import { describe, it } from 'vitest';
import { createPodCache } from './pod-cache.js';

describe('the pod cache complies with', () => {
  defineSuite({ describe, it }, podCacheSuite, () => ({ subject: { cache: createPodCache() } }));
});
