import { defineConfig } from 'tsup';
import base from '../../tsup.config.ts';

const library = base as object;

/** The library as every package, and the command, which loads the library beside it. */
export default defineConfig([library, { ...library, entry: ['src/bin.ts'], format: ['esm'], splitting: false, external: ['./node.js'] }]);
