#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { enableCompileCache } from './compile-cache.js';
import { v8FlagsOf } from './v8-flags.js';

const command = process.argv[2];
const v8Flags = v8FlagsOf(command, process.versions.node);
// Before any other module is loaded, because a grown heap hardly shrinks, and V8 rejects cached code that was compiled with other flags.
for (const flag of v8Flags.atStart) setFlagsFromString(flag);
enableCompileCache(command);

const { runProcess } = await import('./run-process.js');
await runProcess(v8Flags);
