import { defineConfig, type Options } from 'tsup';
import { bundleCommand } from '../../scripts/lib/command-bundle.mjs';
import base from '../../tsup.config.ts';

/** The library as every package, but each command in a separate file that is loaded when it runs; and `nodeagent`, in a bundle. */
export default defineConfig({ ...(base as Options), splitting: true, onSuccess: bundleCommand });
