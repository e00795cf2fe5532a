#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

/**
 * An agent shares its node with the pods: it keeps its heap close to what is alive, and compiles only what runs really often. Before
 * anything else is loaded, as a heap that has grown hardly shrinks. docs/performance.md has what it saves.
 */
for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=20', '--interrupt-budget=10000000']) setFlagsFromString(flag);

const { main } = await import('./index.js');
process.exit(await main(process.argv.slice(2)));
