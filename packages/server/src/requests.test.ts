import { describe, expect, it } from 'vitest';
import { forbiddenText, requestAttributes, requiredAttributes } from './auth-attributes.js';
import { parseContainerLogsRequest } from './container-logs-request.js';
import { healthzAnswer } from './healthz.js';
import { requestLabels } from './request-labels.js';

describe('requestAttributes', () => {
  it.each([
    ['GET', '/pods', 'get', ['pods', 'proxy']],
    ['GET', '/pods/', 'get', ['pods', 'proxy']],
    ['GET', '/podsx', 'get', ['proxy']],
    ['GET', '/Pods', 'get', ['proxy']],
    ['POST', '/exec/ns/pod/c', 'create', ['proxy']],
    ['GET', '/stats/summary', 'get', ['stats']],
    ['HEAD', '/logs/', '', ['log']],
    ['get', '/flagz', '', ['configz']],
    ['DELETE', '/exec/../pods', 'delete', ['proxy']],
  ])('of %s %s: verb "%s", subresources %j', (method, path, verb, subresources) => {
    expect(requestAttributes(method, path, 'n1')).toEqual({ verb, resource: 'nodes', name: 'n1', subresources });
  });

  it.each([
    ['GET', '/exec/ns/pod/c', ['get', 'create']],
    ['GET', '/attach/ns/pod/c', ['get', 'create']],
    ['GET', '/portForward/ns/pod', ['get', 'create']],
    ['PUT', '/run/ns/pod/c', ['update', 'create']],
    ['POST', '/exec/ns/pod/c', ['create']],
    ['GET', '/containerLogs/ns/pod/c', ['get']],
    ['GET', '/execute', ['get']],
  ])('of all that %s %s requires: verbs %j', (method, path, verbs) => {
    expect(requiredAttributes(method, path, 'n1').map(({ verb }) => verb)).toEqual(verbs);
  });

  it('of the node page name a subresource that gives nothing else', () => {
    expect(requestAttributes('GET', '/ui/state', 'n1').subresources).toEqual(['ui', 'proxy']);
  });

  it('are part of a refusal', () => {
    expect(forbiddenText('alice', requestAttributes('GET', '/pods', 'n1'))).toBe(
      'Forbidden (user=alice, verb=get, resource=nodes, subresource(s)=[pods proxy])\n',
    );
  });
});

describe('requestLabels', () => {
  it.each([
    ['GET', '/metrics', 'GET', 'metrics', false],
    ['GET', '/metrics/cadvisor', 'GET', 'metrics/cadvisor', false],
    ['GET', '/metrics/secret', 'GET', 'other', false],
    ['PATCH', '/some/other/path', 'other', 'other', false],
    ['POST', '/exec/ns/pod/c', 'POST', 'exec', true],
    ['POST', '/portForward/ns/pod', 'POST', 'portForward', false],
    ['GET', '', 'GET', 'other', false],
  ])('of %s %s', (method, path, metricMethod, metricPath, longRunning) => {
    expect(requestLabels(method, path)).toEqual({ method: metricMethod, path: metricPath, longRunning });
  });
});

describe('healthzAnswer', () => {
  const ask = (path: string, checks = [{ name: 'ping' }, { name: 'log', error: 'a secret' }]) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    return healthzAnswer(pathname, searchParams, checks);
  };

  it('withholds reasons, except in a request for a single check', () => {
    expect(ask('/healthz')).toMatchObject({ status: 500, body: '[+]ping ok\n[-]log failed: reason withheld\nhealthz check failed\n' });
    expect(ask('/healthz/log')).toMatchObject({ status: 500, body: 'internal server error: a secret\n' });
    expect(ask('/healthz/ping')).toMatchObject({ status: 200, body: 'ok' });
    expect(ask('/healthz/none')).toMatchObject({ status: 404, body: '404 page not found\n' });
    expect(ask('/pods')).toBeUndefined();
  });

  it('excludes checks, and names unknown ones', () => {
    expect(ask('/healthz?exclude=log')).toMatchObject({ status: 200, body: 'ok' });
    expect(ask('/healthz?verbose&exclude=log&exclude=z&exclude=a')?.body).toBe(
      '[+]ping ok\n[+]log excluded: ok\nwarn: some health checks cannot be excluded: no matches for "a","z"\nhealthz check passed\n',
    );
  });
});

describe('parseContainerLogsRequest', () => {
  const pod = {
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'app' }], initContainers: [{ name: 'init' }], ephemeralContainers: [{ name: 'dbg' }] },
  };
  const parse = (query: string, containerName = 'app', gates = {}) =>
    parseContainerLogsRequest({ podName: 'web', containerName, query: new URLSearchParams(query), pod }, gates);
  const optionsOf = (query: string) => {
    const parsed = parse(query);
    return 'options' in parsed ? parsed.options : parsed;
  };

  it.each([
    ['', {}],
    ['follow&timestamps=FALSE&previous=0', { follow: true }],
    ['tailLines=5&tail=7', { tailLines: 7 }],
    ['tailLines=5&tail=all', {}],
    ['tailLines=5&tail=', { tailLines: 5 }],
    ['sinceTime=2026-01-01T00:00:00.9%2B02:00', { sinceTime: '2025-12-31T22:00:00Z' }],
    ['sinceTime=', {}],
    ['limitBytes=%2B1&limitBytes=2', { limitBytes: 1 }],
    ['unknown=1&stream=All', { stream: 'All' }],
  ])('reads %j', (query, options) => {
    expect(optionsOf(query)).toEqual(options);
  });

  it.each([
    'tailLines=x',
    'tailLines=',
    'limitBytes=1.5',
    'sinceTime=yesterday',
    'sinceTime=2026-02-30T00:00:00Z',
    'sinceSeconds=9223372036854775808',
  ])('cannot decode %j', (query) => {
    expect(parse(query)).toEqual({ status: 400, body: '{"message": "Unable to decode query."}' });
  });

  it.each([
    'tailLines=-1',
    'limitBytes=0',
    'sinceSeconds=0',
    'sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z',
    'sinceSeconds=1&sinceTime=',
    'stream=stdout',
    'stream=',
    'stream=Stdout&tailLines=1',
  ])('treats %j as invalid', (query) => {
    expect(parse(query)).toEqual({ status: 422, body: '{"message": "Invalid request."}' });
  });

  it('finds containers of all kinds, and names a missing pod or container', () => {
    for (const name of ['app', 'init', 'dbg']) expect(parse('', name)).toMatchObject({ stdout: true, stderr: true });
    expect(parse('', 'x')).toEqual({ status: 404, body: 'container "x" not found in pod "web"' });
    const missing = { podName: 'p"q', containerName: 'app', query: new URLSearchParams(), pod: undefined };
    expect(parseContainerLogsRequest(missing)).toEqual({ status: 404, body: 'pod "p\\"q" does not exist' });
  });

  it('returns a single stream only with the feature gate', () => {
    expect(parse('stream=Stderr')).toEqual({
      status: 400,
      body: 'unable to return the given log stream: "Stderr". Please enable PodLogsQuerySplitStreams feature gate in kubelet',
    });
    expect(parse('stream=Stderr', 'app', { PodLogsQuerySplitStreams: true })).toMatchObject({ stdout: false, stderr: true });
    expect(parse('stream=Stdout', 'app', { PodLogsQuerySplitStreams: true })).toMatchObject({ stdout: true, stderr: false });
  });
});
