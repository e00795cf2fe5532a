import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Pod } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clusterPageFiles } from '../cluster-page-files.js';
import { createClusterPage } from './cluster-page.js';
import type { ClusterPageChange, ClusterPageOptions, ClusterPageSettings, ClusterPageSource } from './options.js';

/** A cluster of plain objects. */
class TestSource implements ClusterPageSource {
  readonly listeners = new Set<(change: ClusterPageChange) => void>();
  current: Pod[] = [];
  reads = 0;
  #version = 0;

  now = () => 5_000;
  nodes = () => [{ name: 'node-1', object: undefined, isUp: true, isPartitioned: false }];
  workloads = () => [];
  events = () => [{ reason: 'BackOff', message: 'restarting', type: 'Warning', count: 1 }];
  logs = (_: Pod, container: string) => [`log of ${container}`];
  pod = (name: string, namespace: string) =>
    this.current.find(({ metadata }) => metadata?.name === name && metadata.namespace === namespace);

  pods() {
    this.reads += 1;
    return this.current;
  }

  watch(listener: (change: ClusterPageChange) => void) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Creates or changes a pod, whose containers terminate with the exit code if there is one. */
  put(name: string, exitCode?: number) {
    this.#version += 1;
    const state = exitCode === undefined ? { running: {} } : { terminated: { exitCode, reason: 'Error', finishedAt: `${this.#version}` } };
    const object: Pod = {
      metadata: { uid: name, namespace: 'default', name, resourceVersion: `${this.#version}` },
      spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'web:1' }] },
      status: { phase: 'Running', containerStatuses: [{ name: 'main', image: '', imageID: '', ready: true, restartCount: 0, state }] },
    };
    const previous = this.pod(name, 'default');
    this.current = [...this.current.filter((each) => each !== previous), object];
    this.#report({ type: previous ? 'MODIFIED' : 'ADDED', resource: 'pods', object, ...(previous && { previous }) });
  }

  remove(name: string) {
    const object = this.pod(name, 'default') ?? {};
    this.current = this.current.filter((each) => each !== object);
    this.#report({ type: 'DELETED', resource: 'pods', object });
  }

  #report(change: ClusterPageChange) {
    for (const listener of this.listeners) listener(change);
  }
}

async function serve(settings: ClusterPageSettings = {}) {
  const source = new TestSource();
  const clock = createVirtualClock();
  const page = createClusterPage({ source, clock, settings, speed: 60 });
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
    let body = '';
    for await (const part of response.setEncoding('utf8')) body += part;
    return { status: response.statusCode, headers: response.headers, body };
  };
  /** A browser's stream, as its events so far. */
  const watch = async (path = '/events') => {
    const response = await ask(path);
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
    return { response, events };
  };
  return { source, clock, page, read, ask, watch };
}
const eventually = async (check: () => boolean) => {
  for (let i = 0; i < 500 && !check(); i += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(check()).toBe(true);
};

describe('the page of a cluster', () => {
  it('is below 60 kB, a third of it compressed, without inline and external content', () => {
    const sizes = Object.values(clusterPageFiles).map((text) => [Buffer.byteLength(text), gzipSync(text).length]);
    const total = (at: number) => sizes.reduce((sum, each) => sum + (each[at] ?? 0), 0);
    expect(total(0)).toBeLessThan(60_000);
    expect(total(1)).toBeLessThan(20_000);
    for (const text of Object.values(clusterPageFiles)) {
      expect(text).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\son[a-z]+="|\sstyle="|innerHTML|insertAdjacentHTML|eval\(/);
      expect(text.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\/|url\(|@import/);
    }
  });

  it.each([
    ['GET', '/', {}, 200],
    ['GET', '/cluster.js', {}, 200],
    ['HEAD', '/state', {}, 200],
    ['GET', '/nothing', {}, 404],
    ['GET', '/pod?name=none&namespace=default', {}, 404],
    ['POST', '/state', {}, 405],
    ['GET', '/state', { host: 'rebound.example' }, 403],
    ['GET', '/events', { origin: 'http://evil.example' }, 403],
  ])('%s %s with %j is answered with its status', async (method, path, headers, status) => {
    const { read } = await serve();
    const answer = await read(path, { method, headers });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
  });

  it('has nodes, pods and the timeline in its state, and a pod in detail', async () => {
    const { source, read } = await serve();
    source.put('web');
    source.put('web', 3);
    const state = JSON.parse((await read('/state')).body);
    expect(state).toMatchObject({
      ...{ now: 5_000, speed: 60, nodes: [{ name: 'node-1', level: 'bad', status: 'deleted' }], workloads: [] },
      pods: [{ id: 'web', node: 'node-1', status: 'Error' }],
      verdict: { level: 'bad' },
      timeline: [{ text: 'container main exited with 3 (Error)', severity: 'error', pod: { name: 'web' } }],
    });
    const details = JSON.parse((await read('/pod?name=web&namespace=default')).body);
    expect(details).toMatchObject({ name: 'web', containers: [{ name: 'main', logs: ['log of main'] }], events: [{ warning: true }] });
  });
});

describe('the stream of a cluster', () => {
  it('starts with the state, continues with entries and frames of what changed, and resumes', async () => {
    const { source, clock, watch } = await serve();
    source.put('old');
    source.put('web');
    const first = await watch();
    await eventually(() => first.events().length === 1);
    source.put('web', 3);
    source.put('new');
    source.remove('old');
    await clock.advance(250);
    await eventually(() => first.events().length === 3);
    const [state, entry, frame] = first.events();
    expect(state).toMatchObject({ event: 'state', data: { pods: [{ id: 'old' }, { id: 'web' }] } });
    expect(entry).toMatchObject({ event: 'entry', data: { text: 'container main exited with 3 (Error)' } });
    expect(frame).toMatchObject({ event: 'frame', data: { pods: [{ id: 'web' }, { id: 'new' }], removed: ['old'] } });
    expect(frame?.data).not.toHaveProperty('nodes');
    const second = await watch(`/events?after=${entry?.id}`);
    await eventually(() => second.events().length === 1);
    expect(second.events()).toEqual([frame]);
  });

  it('reads and sends nothing without browsers, but records the timeline', async () => {
    const { source, clock, watch, page } = await serve();
    const first = await watch();
    first.response.destroy();
    await eventually(() => clock.pending === 0);
    const { reads } = source;
    source.put('web');
    source.put('web', 3);
    await clock.advance(60_000);
    expect(source.reads).toBe(reads);
    expect(clock.pending).toBe(0);
    const second = await watch();
    await eventually(() => second.events().length === 1);
    expect(second.events()[0]?.data.timeline).toHaveLength(1);
    page.stop();
    expect(source.listeners.size).toBe(0);
  });

  it('disconnects a browser that does not read', async () => {
    const { source, ask } = await serve({ maxBacklogBytes: 10_000 });
    source.put('web');
    const response = await ask('/events');
    response.pause();
    let isClosed = false;
    response.on('close', () => {
      isClosed = true;
    });
    for (let round = 0; round < 3_000; round += 1) source.put('web', 3);
    response.resume();
    response.on('error', () => {});
    await eventually(() => isClosed);
  });
});

it.each<[Partial<Record<keyof ClusterPageOptions, unknown>>, string]>([
  [{ source: {} }, 'source'],
  [{ speed: 0 }, 'speed'],
  [{ settings: { timelineLength: 0 } }, 'settings.timelineLength'],
  [{ settings: { maxViewers: 1.5 } }, 'settings.maxViewers'],
  [{ settings: { maxBacklogBytes: -1 } }, 'settings.maxBacklogBytes'],
  [{ settings: { gatherMs: Number.NaN } }, 'settings.gatherMs'],
])('%j is rejected by name', (wrong, field) => {
  const options = { source: new TestSource(), ...wrong } as ClusterPageOptions;
  expect(() => createClusterPage(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
});
