/**
 * The program of a victim: `nodeagent run` on a runtime in memory, which it calls over a CRI socket of this process. Its parent sends messages: `begin`
 * and `end` measure, `cri` calls the runtime of a socket and reads its events, `probe` makes a gRPC probe.
 */
import { systemClock } from '@nodeagent/api';
import { createCriClient, serveCri } from '@nodeagent/cri-client';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { runProbe } from '@nodeagent/prober';
import { machineProbeNetwork } from '@nodeagent/prober/node';
import { createMeter } from './meter.js';

const [criSocket = '', ...flags] = process.argv.slice(2);
const { runtime, image } = createMemoryRuntime({ clock: systemClock, images: 'any' });
await serveCri({ runtime, image }, { socket: criSocket });

const meter = createMeter();

/** What the parent asks for. */
export type Order = { kind: 'begin' } | { kind: 'end' } | { kind: 'cri'; socket: string } | { kind: 'probe'; port: number };

process.on('message', async (order: Order) => process.send?.(await answer(order)));

async function answer(order: Order): Promise<object> {
  switch (order.kind) {
    case 'begin':
      meter.begin();
      return {};
    case 'end':
      return meter.end();
    case 'cri':
      return { error: await readEvents(order.socket) };
    case 'probe':
      return runProbe({ grpc: { port: order.port } }, { host: '127.0.0.1' }, { network: machineProbeNetwork });
  }
}

/** How a stream of events ends whose reader waits for 300 ms after the first one. */
async function readEvents(socket: string): Promise<string> {
  const client = createCriClient({ endpoint: `unix://${socket}`, timeoutMs: 10_000 });
  try {
    let isFirst = true;
    for await (const _ of client.runtime.getContainerEvents({})) {
      if (isFirst) await systemClock.sleep(300);
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
