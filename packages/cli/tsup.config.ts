import { defineConfig } from 'tsup';
import base from '../../tsup.config.ts';

const library = base as object;

/**
 * The library as every package, but each command in a separate file that is loaded when it runs; and `nodeagent`, which loads the library beside
 * it after it has set up the process.
 */
export default defineConfig([
  { ...library, splitting: true },
  { ...library, entry: ['src/bin.ts'], format: ['esm'], external: ['./index.js'] },
]);
