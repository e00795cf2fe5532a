import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodePage } from './node-page.js';
import type { NodePageOptions, NodePageSettings } from './options.js';
import { pageFiles } from './page-files.js';
import { runningPod, TestPageAgent } from './test-agent.js';

async function serve(settings: NodePageSettings = {}) {
  const agent = new TestPageAgent();
  const clock = createVirtualClock();
  const page = createNodePage({ agent, nodeName: 'n1', clock, settings });
  const server = createServer(page.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    page.stop();
    server.closeAllConnections();
    server.close();
  });
  const ask = async (path: string, { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {}) => {
    const call = request({ port, host: '127.0.0.1', path, method, headers, agent: false })
      .on('error', () => {})
      .end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    onTestFinished(() => void response.destroy());
    return response;
  };
  const read = async (...args: Parameters<typeof ask>) => {
    const response = await ask(...args);
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part);
    return { status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) };
  };
  /** A browser's stream, as its events so far. */
  const watch = async (path = '/ui/events', headers: Record<string, string> = {}) => {
    const response = await ask(path, { headers });
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    response.on('error', () => {});
    const events = () =>
      [...text.matchAll(/^id: (.+)\nevent: (.+)\ndata: (.+)\n\n/gm)].map(([, id, event, data]) => ({
        id,
        event,
        data: JSON.parse(data ?? ''),
      }));
    return { response, events, text: () => text };
  };
  return { agent, clock, page, read, ask, watch };
}
const eventually = async (check: () => boolean) => {
  for (let i = 0; i < 500 && !check(); i += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(check()).toBe(true);
};

describe('the page', () => {
  it('is small, has a strict policy, and is not sent again while unchanged', async () => {
    const { read } = await serve();
    const page = await read('/ui/');
    expect(page).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'x-content-type-options': 'nosniff' },
    });
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.body.toString()).toBe(pageFiles['index.html']);
    const again = await read('/ui/', { headers: { 'If-None-Match': String(page.headers.etag) } });
    expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    expect(Object.values(pageFiles).reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThan(150_000);
  });

  it('is compressed if the client accepts it', async () => {
    const { read } = await serve();
    const { headers, body } = await read('/ui/page.css', { headers: { 'Accept-Encoding': 'br, gzip' } });
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'text/css; charset=utf-8', vary: 'Accept-Encoding' });
    expect(gunzipSync(body).toString()).toBe(pageFiles['page.css']);
  });

  it.each([...Object.entries(pageFiles)])('has no inline and no external content in %s', (_, text) => {
    expect(text).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\son[a-z]+="|\sstyle="|innerHTML|insertAdjacentHTML|eval\(/);
    expect(text.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\/|url\(|@import/);
  });

  it.each([
    ['GET', '/ui', 308, 'ui/'],
    ['GET', '/ui/nothing', 404, undefined],
    ['GET', '/ui/constructor', 404, undefined],
    ['GET', '/elsewhere', 404, undefined],
    ['GET', '/ui/../ui/', 404, undefined],
    ['POST', '/ui/state', 405, undefined],
    ['HEAD', '/ui/state', 200, undefined],
    ['HEAD', '/ui/page.js', 200, undefined],
    ['HEAD', '/ui/events', 404, undefined],
  ])('%s %s is answered with %i', async (method, path, status, location) => {
    const { read } = await serve();
    expect(await read(path, { method })).toMatchObject({ status, headers: location === undefined ? {} : { location } });
  });

  it('is served below the base path', async () => {
    const { read } = await serve({ basePath: '/' });
    expect(await read('/state')).toMatchObject({ status: 200 });
    expect(await read('/')).toMatchObject({ status: 200 });
  });
});

describe('the stream of changes', () => {
  it('starts with the full state, continues with changes, and resumes for a reconnected browser', async () => {
    const { agent, clock, read, watch } = await serve();
    agent.views = [runningPod('web')];
    agent.happened({ text: 'first' });
    const first = await watch();
    await eventually(() => first.events().length === 1);
    expect(first.events()).toMatchObject([{ event: 'state', data: { pods: [{ uid: 'web' }], timeline: [{ text: 'first' }] } }]);
    expect(first.response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    agent.happened({ text: 'second' });
    agent.happened({ text: 'third\nwith a second line' });
    await clock.advance(150);
    await eventually(() => first.events().length === 3);
    const second = await watch('/ui/events?after=other', { 'Last-Event-ID': String(first.events()[1]?.id) });
    await eventually(() => second.events().length === 1);
    expect(second.events()).toMatchObject([{ event: 'entry', data: { text: 'third\nwith a second line' } }]);
    const { id } = JSON.parse((await read('/ui/state')).body.toString());
    expect((await watch(`/ui/events?after=${id}`)).events()).toEqual([]);
  });

  it('sends heartbeats, and leaves no timer or listener', async () => {
    const { clock, page, watch } = await serve();
    const viewer = await watch();
    await clock.advance(45_000);
    await eventually(() => viewer.text().endsWith(':\n\n:\n\n'));
    viewer.response.destroy();
    const other = await watch();
    page.stop();
    page.stop();
    await once(other.response, 'end');
    await eventually(() => clock.pending === 0);
  });

  it('stops polling the agent after the last browser has disconnected', async () => {
    const { clock, watch } = await serve();
    const viewer = await watch();
    expect(clock.pending).toBeGreaterThan(0);
    viewer.response.destroy();
    await eventually(() => clock.pending === 0);
  });

  it('disconnects a browser that does not read, and lets it reconnect', async () => {
    const { agent, clock, watch } = await serve({ maxBacklogBytes: 20_000 });
    const idle = await watch();
    idle.response.pause();
    for (let i = 0; i < 100_000 && clock.pending > 0; i += 1) {
      agent.happened({ text: `${i} ${'x'.repeat(900)}` });
      if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(clock.pending).toBe(0);
    const back = await watch();
    await eventually(() => back.events().length === 1);
    expect(back.events()[0]?.data.timeline).toHaveLength(1_000);
  });

  it('is rejected above the maximum number of browsers', async () => {
    const { ask, watch } = await serve({ maxViewers: 1 });
    await watch();
    expect(await ask('/ui/events')).toMatchObject({ statusCode: 503, headers: { 'retry-after': '10' } });
  });
});

it('responds with 503 after stop', async () => {
  const { page, read, agent } = await serve();
  page.stop();
  expect(await read('/ui/')).toMatchObject({ status: 503 });
  expect(agent.listeners.timeline.size).toBe(0);
});

it.each<[Partial<Record<keyof NodePageOptions, unknown>>, string]>([
  [{ agent: {} }, 'agent'],
  [{ nodeName: '' }, 'nodeName'],
  [{ settings: { basePath: '/ui' } }, 'settings.basePath'],
  [{ settings: { timelineLength: 0 } }, 'settings.timelineLength'],
  [{ settings: { maxViewers: 1.5 } }, 'settings.maxViewers'],
  [{ settings: { maxBacklogBytes: -1 } }, 'settings.maxBacklogBytes'],
  [{ settings: { refreshPeriodMs: Number.NaN } }, 'settings.refreshPeriodMs'],
])('%j is rejected by name', (wrong, field) => {
  const options = { agent: new TestPageAgent(), nodeName: 'n1', ...wrong } as NodePageOptions;
  expect(() => createNodePage(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
});
