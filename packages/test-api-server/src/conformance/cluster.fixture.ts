import { afterEach, vi } from 'vitest';
import { machineNetwork } from '../http/machine-network.js';
import { createTestApiServer } from '../test-api-server.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

// biome-ignore lint/suspicious/noExplicitAny: objects of all kinds.
type Any = any;

interface SeenEvent {
  type: string;
  object: Any;
}

/** A server with its controllers, and a client of it over HTTP, in real time. */
export async function startCluster() {
  const server = createTestApiServer({ network: machineNetwork, workloads: true });
  ends.push(() => server.close());
  const url = await server.listen();
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const type = { 'content-type': 'application/json' };
    const text = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, { method, headers: { ...type, ...headers }, ...text });
    const answer = await response.text();
    return { status: response.status, body: (answer.startsWith('{') ? JSON.parse(answer) : answer) as Any };
  };
  const patch = (path: string, body: unknown, kind = 'merge-patch+json') =>
    call('PATCH', path, body, { 'content-type': `application/${kind}` });
  /** Opens a watch; its events are collected until the test ends. */
  const watch = async (path: string) => {
    const abort = new AbortController();
    ends.push(() => abort.abort());
    const response = await fetch(`${url}${path}${path.includes('?') ? '&' : '?'}watch=1`, { signal: abort.signal });
    const events: SeenEvent[] = [];
    void collect(response.body as AsyncIterable<Uint8Array> | null, events);
    const saw = (...wanted: string[]) =>
      until(() => {
        const seen = events.map(({ type, object }) => `${type} ${object.metadata?.name}`);
        return seen.length >= wanted.length && wanted.every((each, at) => seen[at] === each);
      });
    return { events, saw, stop: () => abort.abort() };
  };
  return { server, call, patch, watch };
}

/** Waits in real time until a condition holds. */
export const until = (holds: () => boolean | Promise<boolean>) => vi.waitUntil(holds, { timeout: 30_000, interval: 5 });

async function collect(body: AsyncIterable<Uint8Array> | null, events: SeenEvent[]): Promise<void> {
  let text = '';
  try {
    for await (const piece of body ?? []) {
      const lines = (text + Buffer.from(piece).toString()).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) events.push(JSON.parse(line) as SeenEvent);
    }
  } catch {
    // The test has ended the watch.
  }
}
