import { defineConfig } from 'tsup';
import base from '../../tsup.config.ts';

/** The library as every package, and the command itself: a program, so ES module only and without types. */
export default defineConfig([base as object, { ...(base as object), entry: ['src/bin.ts'], format: ['esm'], dts: false, clean: false }]);
