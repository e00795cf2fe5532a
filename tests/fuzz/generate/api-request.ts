import { createTestApiServer, type TestApiServer, type TestApiServerOptions } from '@nodeagent/test-api-server';
import { createVirtualClock } from '@nodeagent/testing';
import { promise } from '../promises.js';

/** An answer of the server in JSON. */
export interface ApiAnswer {
  status: number;
  object: Record<string, unknown> & { message?: string };
}

/** A server in virtual time, unless its options have a clock, with the same random numbers for each input. */
export const apiServer = (options: TestApiServerOptions = {}): TestApiServer =>
  createTestApiServer({ clock: createVirtualClock(), random: () => 0.5, ...options });

/** Sends a request; every refusal is a Status with a message, and no fault of the server. */
export async function askApi(
  server: TestApiServer,
  request: { method: string; url: string; body?: unknown; headers?: Record<string, string> },
  allowed: (status: number) => boolean = (status) => status < 500,
): Promise<ApiAnswer> {
  const { status, body } = await server.handle(request);
  const text = String(body);
  const object = JSON.parse(text) as ApiAnswer['object'];
  promise(allowed(status), `${request.method} ${request.url.slice(0, 200)} is answered with ${status}: ${text.slice(0, 300)}`);
  if (status >= 400) promise(object.kind === 'Status' && object.code === status && object.message !== '', 'a refusal without a Status');
  return { status, object };
}
