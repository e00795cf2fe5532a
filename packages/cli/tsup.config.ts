import { defineConfig } from 'tsup';
import base from '../../tsup.config.ts';

const library = base as object;

/** The library as every package, and the command: it loads the library beside it, after it has set up the process. */
export default defineConfig([library, { ...library, entry: ['src/bin.ts'], format: ['esm'], external: ['./index.js'] }]);
