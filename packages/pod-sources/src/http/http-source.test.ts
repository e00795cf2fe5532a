import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NodeAgentError } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { readYaml } from '@nodeagent/yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { fetchGet, type HttpGet } from './http-get.js';
import { createHttpSource, type HttpSourceOptions } from './http-source.js';

const podJson = (name: string) => ({ metadata: { name, uid: `u-${name}` }, spec: { containers: [{ name: 'c', image: 'i' }] } });
const manifest = (name: string) => JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...podJson(name) });
const podList = (...items: unknown[]) => JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items });

function setUp(more: Partial<HttpSourceOptions> = {}) {
  const clock = createVirtualClock();
  const requests: { url: string; headers: object }[] = [];
  let answer: { status?: number; statusText?: string; text?: string } | Error | 'hangs' = { text: manifest('a') };
  const get: HttpGet = async (url, { headers, signal }) => {
    requests.push({ url, headers });
    if (answer === 'hangs') {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    }
    if (answer instanceof Error) throw answer;
    const { status = 200, statusText = '', text = '' } = answer;
    return { status, statusText, body: new TextEncoder().encode(text) };
  };
  const errors: NodeAgentError[] = [];
  const warnings: string[] = [];
  const source = createHttpSource({
    url: 'http://user:secret@example.test/pods?token=secret',
    nodeName: 'n1',
    clock,
    get,
    onError: (error) => errors.push(error),
    onWarning: (warning) => warnings.push(warning),
    ...more,
  });
  const lists: string[][] = [];
  source.onPods = (pods) => lists.push(pods.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`));
  const next = async (now: typeof answer) => {
    answer = now;
    await clock.advance(20_000);
  };
  return { clock, requests, errors, warnings, source, lists, next };
}
const texts = (errors: readonly NodeAgentError[]) => errors.map(({ code, message }) => `${code} ${message}`);

// The YAML reader loads with the first text that needs it, which a virtual clock does not wait for.
beforeAll(async () => void (await readYaml('a: 1')));

describe('the HTTP source', () => {
  it('sends a request with the headers every 20 s, and emits changed lists', async () => {
    const { source, requests, lists, next, clock, errors } = setUp({ headers: { 'Metadata-Flavor': 'x' } });
    await source.start();
    expect(lists).toEqual([['default/a-n1']]);
    await next({ text: manifest('a') });
    await next({ text: podList(podJson('b'), podJson('c')) });
    expect(lists.slice(1)).toEqual([['default/b-n1', 'default/c-n1']]);
    expect(requests).toHaveLength(3);
    expect(requests[0]).toEqual({ url: 'http://user:secret@example.test/pods?token=secret', headers: { 'Metadata-Flavor': 'x' } });
    await source.stop();
    await clock.advance(60_000);
    expect([requests.length, clock.pending]).toEqual([3, 0]);
    expect(errors).toEqual([]);
  });

  it.each([
    ['null', '{"apiVersion":"v1","kind":"PodList","items":null}'],
    ['absent', '{"apiVersion":"v1","kind":"PodList"}'],
    ['empty in YAML', 'apiVersion: v1\nkind: PodList\nitems:\n'],
  ])('has no pods where the items of a list are %s', async (_, text) => {
    const { source, lists, next, errors } = setUp();
    await source.start();
    await next({ text });
    expect([lists, errors]).toEqual([[['default/a-n1'], []], []]);
    await source.stop();
  });

  it('keeps the pods while the URL cannot be read, and reports each error once and without secrets', async () => {
    const { source, lists, next, errors } = setUp();
    await source.start();
    await next({ status: 503, statusText: 'Service Unavailable' });
    await next({ status: 503, statusText: 'Service Unavailable' });
    await next(new Error('connect ECONNREFUSED'));
    await next({ text: manifest('a') });
    await next(new Error('connect ECONNREFUSED'));
    await next({ text: 'x'.repeat(10 * 1024 * 1024 + 1) });
    expect(lists).toEqual([['default/a-n1']]);
    expect(texts(errors)).toEqual([
      'UnreadableManifest http://example.test/pods: 503 Service Unavailable',
      'UnreadableManifest http://example.test/pods: connect ECONNREFUSED',
      'UnreadableManifest http://example.test/pods: connect ECONNREFUSED',
      'UnreadableManifest http://example.test/pods: larger than the limit of 10485760 bytes',
    ]);
    await source.stop();
  });

  it('refuses a whole list because of one invalid pod, also when the same list follows an outage', async () => {
    const { source, lists, next, errors } = setUp();
    await source.start();
    const bad = podList(podJson('b'), { metadata: { name: 'broken' } }, 7);
    await next({ text: bad });
    await next(new Error('down'));
    await next({ text: bad });
    await next({ text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [] }) });
    expect(lists).toEqual([['default/a-n1']]);
    expect(errors.map(({ code }) => code)).toEqual(['InvalidManifest', 'UnreadableManifest', 'InvalidManifest', 'NotAPod']);
    await next({ text: podList() });
    expect(lists[1]).toEqual([]);
    await source.stop();
  });

  it('reports the error of the last answer, and its end', async () => {
    const reported: number[] = [];
    const { source, next } = setUp({ onErrors: (errors) => reported.push(errors.length) });
    await source.start();
    await next({ status: 500 });
    await next({ status: 500 });
    await next({ text: podList() });
    expect(reported).toEqual([1, 0]);
    await source.stop();
  });

  it('treats each empty response as a list without pods', async () => {
    const { source, lists, next, errors } = setUp();
    await source.start();
    await next({ text: '' });
    await next({ text: '' });
    expect(lists).toEqual([['default/a-n1'], [], []]);
    expect(texts(errors)).toEqual(['NotAPod zero-length data received from http://example.test/pods']);
    await source.stop();
  });

  it('aborts a request after 10 s, and when it stops', async () => {
    const { source, clock, next, errors, requests } = setUp();
    await source.start();
    await next('hangs');
    await clock.advance(10_000);
    expect(texts(errors)).toEqual(['UnreadableManifest http://example.test/pods: no answer within 10 s']);
    await clock.advance(10_000);
    expect(requests).toHaveLength(3);
    const controller = new AbortController();
    await source.stop();
    expect([errors.length, clock.pending]).toEqual([1, 0]);
    controller.abort();
    await source.start(controller.signal);
    expect(requests).toHaveLength(3);
  });

  it('warns of unknown fields', async () => {
    const { source, next, warnings } = setUp();
    await source.start();
    await next({ text: JSON.stringify({ ...JSON.parse(manifest('a')), sepc: {} }) });
    expect(warnings).toEqual([expect.stringContaining('sepc')]);
    await source.stop();
  });

  it.each([
    [{ url: 'file:///etc/pods' }, 'url'],
    [{ url: 'pods' }, 'url'],
    [{ nodeName: '' }, 'nodeName'],
    [{ checkIntervalMs: 0 }, 'checkIntervalMs'],
  ])('refuses %j', (options, field) => {
    expect(() => setUp(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});

describe('fetchGet', () => {
  it('stops to read shortly after the limit, and reports why it could not connect', async () => {
    const server = createServer((request, response) => response.end(`${request.headers.accept}`.repeat(20_000)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const options = { headers: { accept: 'text/x' }, limit: 10_000, signal: AbortSignal.timeout(5_000) };
    const { status, statusText, body } = await fetchGet(url, options);
    expect([status, statusText, new TextDecoder().decode(body.slice(0, 6))]).toEqual([200, 'OK', 'text/x']);
    expect(body.length).toBeGreaterThan(10_000);
    expect(body.length).toBeLessThan(120_000);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(fetchGet(url, options)).rejects.toThrow('ECONNREFUSED');
  });
});
