import type { IncomingMessage } from 'node:http';
import { get as getHttp } from 'node:http';
import { createMetricsRegistry } from '@nodeagent/server';
import { createNodeStreaming } from '@nodeagent/server/streaming';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { runtimeCapabilities } from '../../options/runtime-capabilities.js';
import { createTestAgent } from '../../test-agent.js';

function get(port: number | undefined, path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const request = getHttp({ host: '127.0.0.1', port, path, agent: false }, async (response: IncomingMessage) => {
      let body = '';
      for await (const piece of response) body += piece;
      resolve({ status: response.statusCode, body });
    });
    request.on('error', reject);
  });
}

describe("an agent's HTTP API", () => {
  it("listens from start to stop, and serves the agent's data", async () => {
    const registry = createMetricsRegistry();
    const pod = buildPod({ name: 'web', uid: 'u1' });
    const { agent, clock, untilReady } = createTestAgent([pod], {
      server: { readOnly: { address: '127.0.0.1', port: 0 }, registry },
      metrics: registry,
    });
    expect(agent.serverPorts()).toBeUndefined();
    await agent.start();
    await untilReady('web');
    const port = agent.serverPorts()?.readOnly;
    expect(JSON.parse((await get(port, '/pods')).body).items).toMatchObject([{ metadata: { name: 'web' }, status: { phase: 'Running' } }]);
    expect(await get(port, '/healthz?verbose')).toEqual({
      status: 200,
      body: '[+]ping ok\n[+]syncloop ok\n[+]threadpool ok\nhealthz check passed\n',
    });
    expect((await get(port, '/metrics')).body).toMatch(/\nkubelet_started_pods_total 1\n/);
    expect((await get(port, '/stats/summary')).status).toBe(404);
    await agent.stop();
    await expect(get(port, '/pods')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(clock.pending).toBe(0);
  });

  it("fails the agent's start if its port is in use", async () => {
    const first = createTestAgent([], { server: { readOnly: { address: '127.0.0.1', port: 0 } } });
    await first.agent.start();
    const port = first.agent.serverPorts()?.readOnly ?? 0;
    const second = createTestAgent([], { server: { readOnly: { address: '127.0.0.1', port } } });
    await expect(second.agent.start()).rejects.toMatchObject({ code: 'ListenFailed' });
    await second.agent.stop();
    await first.agent.stop();
  });
});

it('the streams of an agent are those of its runtime, found by container name', async () => {
  const { signal } = new AbortController();
  const pod = buildPod({ name: 'web', uid: 'u1' });
  const runtime = { getPod: async () => ({ containers: [{ id: 'id-app', name: 'app', state: 'running' }] }) as never };
  const streams = { stdin: false, stdout: true, stderr: true, tty: false };
  const streaming = {
    execUrl: async (id: string) => new URL(`http://127.0.0.1/exec/${id}`),
    attachUrl: async (id: string) => new URL(`http://127.0.0.1/attach/${id}`),
    portForwardUrl: async () => new URL('http://127.0.0.1/ports'),
  };
  const { execUrl, attachUrl, portForwardUrl } = createNodeStreaming(runtime, streaming);
  expect((await execUrl(pod, 'app', ['ls'], streams, signal)).pathname).toBe('/exec/id-app');
  expect((await attachUrl(pod, 'app', streams, signal)).pathname).toBe('/attach/id-app');
  expect((await portForwardUrl(pod, [80], signal)).pathname).toBe('/ports');
  const without = createNodeStreaming(runtime, runtimeCapabilities.streaming.fallback);
  await expect(without.portForwardUrl(pod, [], signal)).rejects.toMatchObject({ code: 'NotSupported' });
});
