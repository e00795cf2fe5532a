import { defineConfig } from 'tsup';
import base from '../../tsup.config.ts';

const library = base as object;

/** The library as every package, and the program. */
export default defineConfig([library, { ...library, entry: ['src/bin.ts'], format: ['esm'], splitting: true }] as object[]);
