import { seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { parseRequestTarget } from './request-target.js';
import { route } from './route.js';

const target = { namespace: 'ns', pod: 'web', container: 'app' };

describe('route', () => {
  it.each([
    ['GET', '/pods', { name: 'pods' }],
    ['GET', '/pods/', { name: 'pods' }],
    ['GET', '/runningpods/', { name: 'runningpods' }],
    ['POST', '/stats/summary', { name: 'summary' }],
    ['HEAD', '/healthz/ping', { name: 'healthz' }],
    ['GET', '/metrics', { name: 'metrics', page: 'kubelet' }],
    ['GET', '/metrics/cadvisor', { name: 'metrics', page: 'cadvisor' }],
    ['GET', '/containerLogs/ns/web/app', { name: 'containerLogs', target }],
    ['POST', '/exec/ns/web/app', { name: 'exec', target }],
    ['GET', '/exec/ns/web/u1/app', { name: 'exec', target: { ...target, uid: 'u1' } }],
    ['GET', '/attach/ns/web/app/', { name: 'attach', target }],
    ['POST', '/portForward/ns/web', { name: 'portForward', target: { ...target, container: '' } }],
    ['POST', '/portForward/ns/web/u1', { name: 'portForward', target: { ...target, uid: 'u1', container: '' } }],
    ['POST', '/run/ns/web/app', { name: 'run', target }],
    ['POST', '/checkpoint/ns/web/app', { name: 'checkpoint', target }],
    ['GET', '/logs', { name: 'logs', rest: '' }],
    ['GET', '/logs/pods/a.log', { name: 'logs', rest: 'pods/a.log' }],
    ['GET', '/debug/pprof/heap', { name: 'pprof', rest: 'heap' }],
    ['PUT', '/debug/flags/v', { name: 'flags' }],
    ['GET', '/configz', { name: 'configz' }],
  ])('%s %s', (method, path, expected) => {
    expect(route(method, path)).toEqual(expected);
  });

  it.each([
    ['GET', '/'],
    ['GET', ''],
    ['GET', '/podsx'],
    ['GET', '/Pods'],
    ['GET', '//pods'],
    ['GET', '/exec/../pods'],
    ['GET', '/containerLogs/ns/web/..'],
    ['GET', '/containerLogs/ns//app'],
    ['GET', '/logs/../shadow'],
    ['GET', '/metrics/'],
    ['GET', '/metrics/secret'],
    ['GET', '/ui/'],
    ['GET', '/debug/vars'],
    ['GET', '/containerLogs/ns/web'],
    ['GET', '/containerLogs/ns/web/u1/app'],
    ['POST', '/exec/ns/web/u1/app/more'],
    ['GET', '/stats/container'],
  ])('%s %s leads nowhere', (method, path) => {
    expect(route(method, path)).toMatchObject({ status: 404 });
  });

  it('lists the allowed methods in the refusal of another method', () => {
    expect(route('DELETE', '/exec/ns/web/app')).toEqual({
      status: 405,
      body: '405: Method Not Allowed',
      headers: { allow: 'GET, POST' },
    });
    for (const [method, path] of [
      ['POST', '/pods'],
      ['HEAD', '/pods'],
      ['GET', '/run/ns/web/app'],
      ['POST', '/debug/pprof/'],
    ] as const) {
      expect(route(method, path), path).toMatchObject({ status: 405 });
    }
  });

  it('refuses disabled endpoints', () => {
    const off = { enableDebuggingHandlers: false };
    const paths = [
      '/run/a/b/c',
      '/exec/a/b/c',
      '/attach/a/b/c',
      '/portForward/a/b',
      '/containerLogs/a/b/c',
      '/runningpods/',
      '/debug/pprof/',
      '/logs/',
    ];
    for (const path of paths) expect(route('GET', path, off), path).toEqual({ status: 405, body: 'Debug endpoints are disabled.\n' });
    for (const path of ['/configz', '/debug/flags/v', '/checkpoint/a/b/c'])
      expect(route('GET', path, off), path).toMatchObject({ status: 404 });
    for (const path of ['/pods', '/healthz', '/stats/summary', '/metrics/resource'])
      expect(route('GET', path, off), path).toHaveProperty('name');
    expect(route('GET', '/logs/', { enableSystemLogHandler: false })).toMatchObject({ status: 405, body: 'logs endpoint is disabled.\n' });
    expect(route('GET', '/debug/pprof/', { enableProfilingHandler: false })).toMatchObject({ body: 'profiling endpoint is disabled.\n' });
    expect(route('PUT', '/debug/flags/v', { enableDebugFlagsHandler: false })).toMatchObject({ status: 405 });
    expect(route('GET', '/ui/pods/x', { ui: true })).toEqual({ name: 'ui' });
  });

  it('accepts any input, and returns no parameter that contains a path separator or dots (fuzz)', () => {
    const seed = 20261122;
    const random = seededRandom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
    const parts = [
      '',
      '.',
      '..',
      '%2e%2e',
      '%2f',
      '%00',
      '%zz',
      '%',
      '\u0000',
      'é',
      ' ',
      '?',
      '#',
      '\\',
      'a'.repeat(300),
      'ns',
      'web',
      'app',
    ];
    const firsts = [
      'exec',
      'attach',
      'run',
      'portForward',
      'containerLogs',
      'checkpoint',
      'logs',
      'pods',
      'debug',
      'debug/pprof',
      'ui',
      'metrics',
      'stats',
      'Pods',
    ];
    for (let round = 0; round < 10_000; round++) {
      const rest = Array.from({ length: Math.floor(random() * 6) }, () => pick(parts));
      const text = pick(['/', '//', '', 'http://x/']) + [pick(firsts), ...rest].join('/');
      const parsed = parseRequestTarget(text);
      if (parsed === undefined) continue;
      const found = route(pick(['GET', 'POST', 'PUT', 'HEAD', '']), parsed.path, { ui: true });
      if (!isHarmless(found)) throw new Error(`seed ${seed}, round ${round}: ${JSON.stringify(text)} leads to ${JSON.stringify(found)}`);
    }
  });
});

/** A refusal, or a route whose names are single segments. */
function isHarmless(found: ReturnType<typeof route>): boolean {
  if ('status' in found) return found.status === 404 || found.status === 405;
  const names = 'target' in found ? Object.values(found.target) : 'rest' in found ? found.rest.split('/') : [];
  const isComplete = !('target' in found) || found.name === 'portForward' || !names.includes('');
  return isComplete && names.every((name) => !/^\.\.?$|\//.test(name));
}

describe('parseRequestTarget', () => {
  it('decodes a path once, and parses its query', () => {
    expect(parseRequestTarget('/exec/ns/%70od/c%2525?command=a%20b&command=c')).toEqual({
      path: '/exec/ns/pod/c%25',
      query: new URLSearchParams('command=a+b&command=c'),
    });
    for (const target of ['', '*', 'http://x/pods', '/%', '/%zz', '/%ff']) expect(parseRequestTarget(target), target).toBeUndefined();
  });
});
