import { defineConfig } from 'vitest/config';

/** End-to-end tests: the built command on real runtimes, with real time. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.e2e.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    fileParallelism: true,
    reporters: ['verbose'],
  },
});
