import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import type { TestApiServerOptions } from './options.js';
import type { ApiResponse } from './requests/request.js';
import { createTestApiServer } from './test-api-server.js';

export const pods = '/api/v1/namespaces/default/pods';

/** A pod from short input. */
export const pod = (name: string, spec: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'nginx' }], ...spec },
});

interface WatchEvent {
  type: string;
  object: {
    kind: string;
    code?: number;
    metadata: { name?: string; resourceVersion: string; annotations?: Record<string, string> };
    [field: string]: unknown;
  };
}

/** A server in virtual time, with short request functions. */
export function setUp(options: TestApiServerOptions = {}) {
  const clock = createVirtualClock();
  const server = createTestApiServer({ clock, random: seededRandom(1), ...options });
  const call = async (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await server.handle({ method, url, body, headers });
    return { status: response.status, headers: response.headers, body: JSON.parse(response.body as string) };
  };
  const patch = (url: string, body: unknown, kind = 'merge-patch+json') =>
    call('PATCH', url, body, { 'content-type': `application/${kind}` });
  /** Opens a watch and collects its events until it ends. */
  const watch = async (url: string) => {
    const abort = new AbortController();
    const response = await server.handle({ url, signal: abort.signal });
    const events: WatchEvent[] = [];
    const ended = gather(response, events);
    return {
      events,
      ended,
      abort: () => abort.abort(),
      seen: () => events.map(({ type, object }) => `${type} ${object.metadata?.name ?? ''}`.trim()),
    };
  };
  return { clock, server, call, patch, watch };
}

async function gather({ body }: ApiResponse, events: WatchEvent[]): Promise<string> {
  const pieces = typeof body === 'string' ? [body] : body;
  try {
    for await (const piece of pieces) {
      for (const line of String(piece).split('\n').filter(Boolean)) events.push(JSON.parse(line) as WatchEvent);
    }
    return 'ended';
  } catch (error) {
    return (error as { code: string }).code;
  }
}
