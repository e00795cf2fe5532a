import { systemClock } from '@nodeagent/api';
import { serveCri } from '@nodeagent/cri-client';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';

/** Serves an in-memory runtime on the socket that is its first argument, until it is killed. Containers named `crash` fail after a second. */
const memory = createMemoryRuntime({ clock: systemClock, images: 'any', recordCalls: 0 });
memory.script('crash', { exit: { afterMs: 1_000, code: 1 } });
await serveCri(memory, { socket: process.argv[2] ?? '' });
process.stdout.write('serving\n');
