import { systemClock } from '@nodeagent/api';
import { serveCri } from '@nodeagent/cri-client';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';

/** Serves an in-memory runtime on the socket that is its first argument, until it is killed. */
const memory = createMemoryRuntime({ clock: systemClock, images: 'any', recordCalls: 0 });
await serveCri(memory, { socket: process.argv[2] ?? '' });
process.stdout.write('serving\n');
