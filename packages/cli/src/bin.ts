#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

/**
 * V8 flags for an agent, which shares its node with pods: keep the heap close to the live size, and compile only hot functions. Set before
 * any other module is loaded, because a grown heap hardly shrinks. docs/performance.md has the measurements.
 */
for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=20', '--interrupt-budget=2000000']) setFlagsFromString(flag);

const { exitProcess, main } = await import('./index.js');
await exitProcess(await main(process.argv.slice(2)));
