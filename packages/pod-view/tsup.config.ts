import { defineConfig } from 'tsup';
import base from '../../tsup.config.ts';

const library = base as object;

/**
 * Each entry has the helpers of api that it uses, and no file is shared: bundlers keep the classes of a file that a page does not use
 * (docs/decisions/0102-keep-exact-quantities-out-of-the-pod-view.md).
 */
export default defineConfig({ ...library, noExternal: ['@nodeagent/api'], splitting: false });
