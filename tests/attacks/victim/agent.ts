/**
 * The program of a victim: `nodeagent run` on a runtime in memory, which it calls over a CRI socket of this process. Its parent sends messages: `begin`
 * and `end` measure, `cri` calls the runtime of a socket and reads its events.
 */
import { systemClock } from '@nodeagent/api';
import { createCriClient, serveCri } from '@nodeagent/cri-client';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createMeter } from './meter.js';

const [criSocket = '', ...flags] = process.argv.slice(2);
const { runtime, image } = createMemoryRuntime({ clock: systemClock, images: 'any' });
await serveCri({ runtime, image }, { socket: criSocket });

const meter = createMeter();
process.on('message', async ({ kind, socket }: { kind: 'begin' | 'end' | 'cri'; socket: string }) => {
  if (kind === 'begin') process.send?.({ begun: meter.begin() ?? true });
  else if (kind === 'end') process.send?.(meter.end());
  else process.send?.({ error: await readEvents(socket) });
});

/** How a stream of events ends whose reader waits for a second after the first one. */
async function readEvents(socket: string): Promise<string> {
  const client = createCriClient({ endpoint: `unix://${socket}`, timeoutMs: 10_000 });
  try {
    let isFirst = true;
    for await (const _ of client.runtime.getContainerEvents({})) {
      if (isFirst) await systemClock.sleep(1_000);
      isFirst = false;
    }
    return '';
  } catch (error) {
    return String(error);
  } finally {
    client.close();
  }
}

process.argv = [process.execPath, 'nodeagent', 'run', ...flags];
await import('../../../packages/cli/src/bin.js');
