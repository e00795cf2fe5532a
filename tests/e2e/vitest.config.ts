import { defineConfig } from 'vitest/config';
import { sourceAliases } from '../../vitest.config.js';

/** End-to-end tests: the built command on real runtimes, with real time. */
export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    root: import.meta.dirname,
    include: ['*.e2e.ts'],
    // Needs a kubelet, which no package of a distribution has.
    exclude: process.env.NODEAGENT_KUBELET === undefined ? ['replace-kubelet.e2e.ts'] : [],
    globalSetup: './global-setup.ts',
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Suites mostly wait, each on a dedicated runtime and network.
    maxWorkers: 2,
    reporters: ['verbose'],
  },
});
