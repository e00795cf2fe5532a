import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestServers } from '../test-server.js';
import { foreignOrigin } from './foreign-origin.js';

const evil = 'https://evil.example';
const webSocket = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

describe('foreignOrigin', () => {
  const ofPost = (headers: Record<string, string>) => foreignOrigin({ method: 'POST', headers: { host: 'node-1:10250', ...headers } });

  it.each<[string, Record<string, string>]>([
    ['a client that is not a browser', {}],
    ['a page of the server itself', { origin: 'https://node-1:10250', 'sec-fetch-site': 'same-origin' }],
    ['a browser without fetch metadata', { origin: 'https://node-1:10250' }],
    ['a host in other letters', { host: 'NODE-1:10250', origin: 'https://node-1:10250' }],
    ['the default port, which origins leave out', { host: 'node-1:443', origin: 'https://node-1' }],
    ['an IPv6 address', { host: '[2001:db8::1]:10250', origin: 'https://[2001:db8::1]:10250' }],
    ['an IPv6 address, not shortened', { host: '[2001:db8:0::1]:10250', origin: 'https://[2001:db8::1]:10250' }],
    ['a person, by the address bar', { 'sec-fetch-site': 'none' }],
    ["the API server's proxy, for a page elsewhere", { origin: 'http://localhost', 'x-forwarded-for': '192.0.2.1' }],
    ["the API server's proxy, with the metadata too", { origin: evil, 'sec-fetch-site': 'cross-site', 'x-forwarded-for': '192.0.2.1' }],
  ])('lets %s pass', (_who, headers) => {
    expect(ofPost(headers)).toBeUndefined();
  });

  it.each<[string, Record<string, string>, string]>([
    ['another site', { origin: evil }, evil],
    ['another port of the host', { origin: 'https://node-1:8443' }, 'https://node-1:8443'],
    ['the host without its port', { origin: 'https://node-1' }, 'https://node-1'],
    ['the host over HTTP', { origin: 'http://node-1:10250' }, 'http://node-1:10250'],
    ['a host whose name begins alike', { origin: 'https://node-1:10250.evil.example' }, 'https://node-1:10250.evil.example'],
    ['another IPv6 address', { host: '[2001:db8::1]:10250', origin: 'https://[2001:db8::2]:10250' }, 'https://[2001:db8::2]:10250'],
    ['a sandboxed page', { origin: 'null' }, 'null'],
    ['a sandboxed page, asked of a host of that name', { host: 'null', origin: 'null' }, 'null'],
    ['an extension', { origin: 'chrome-extension://abc' }, 'chrome-extension://abc'],
    ['nothing that is an origin', { origin: 'node-1:10250' }, 'node-1:10250'],
    ['two origins', { origin: `https://node-1:10250, ${evil}` }, `https://node-1:10250, ${evil}`],
    ['another site, by metadata alone', { 'sec-fetch-site': 'cross-site' }, 'cross-site'],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }, 'same-site'],
    [
      'another site with the origin of this one',
      { origin: 'https://node-1:10250', 'sec-fetch-site': 'cross-site' },
      'https://node-1:10250',
    ],
  ])('names %s', (_who, headers, origin) => {
    expect(ofPost(headers)).toBe(origin);
  });

  it('checks upgrades and all methods other than GET', () => {
    const headers = { host: 'node-1:10250', origin: evil };
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) expect(foreignOrigin({ method, headers }), method).toBe(evil);
    expect(foreignOrigin({ method: 'GET', headers })).toBeUndefined();
    expect(foreignOrigin({ method: 'GET', headers: { ...headers, ...webSocket } })).toBe(evil);
  });
});

describe('a website', () => {
  const { admin: client, ask, serve, stopAll } = createTestServers({ authority: createTestAuthority(), createClock: createVirtualClock });
  afterEach(stopAll);

  async function start(https: Parameters<typeof serve>[1] = {}) {
    const done: string[] = [];
    const streamUrl = async () => new URL('http://127.0.0.1:1/token');
    const { port } = await serve(
      {
        runInContainer: async (_pod, _container, command) => {
          done.push(`run ${command.join(' ')}`);
          return Buffer.from('done');
        },
        streaming: { execUrl: streamUrl, attachUrl: streamUrl, portForwardUrl: streamUrl },
        relay({ socket }) {
          done.push('exec');
          socket.end('HTTP/1.1 418 Teapot\r\nConnection: close\r\n\r\n');
        },
        setVerbosity: (level) => done.push(`log level ${level}`),
      },
      https,
    );
    return { port, done, own: `https://127.0.0.1:${port}` };
  }
  const exec = '/exec/ns/web/app?command=id&output=1';

  it("cannot use a browser's client certificate to run commands", async () => {
    const { port, done, own } = await start();
    const statusOf = async (path: string, headers: Record<string, string>, method = 'POST') => {
      return (await ask(port, path, { client, method, headers: { host: `127.0.0.1:${port}`, ...headers } })).status;
    };
    expect(await ask(port, '/run/ns/web/app?cmd=id', { client, method: 'POST', headers: { origin: evil } })).toMatchObject({
      status: 403,
      body: 'Forbidden: a request of a web page of another origin ("https://evil.example")\n',
    });
    expect(await statusOf('/run/ns/web/app?cmd=id', { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusOf(exec, { ...webSocket, origin: evil }, 'GET')).toBe(403);
    expect(await statusOf('/portForward/ns/web?port=80', { ...webSocket, origin: 'null' }, 'GET')).toBe(403);
    expect(await statusOf('/debug/flags/v', { origin: evil }, 'PUT')).toBe(403);
    expect(done).toEqual([]);

    expect(await statusOf('/run/ns/web/app?cmd=id', { origin: own })).toBe(200);
    expect(await statusOf(exec, { ...webSocket, origin: own }, 'GET')).toBe(418);
    expect(await statusOf(exec, { ...webSocket, origin: evil, 'x-forwarded-for': '192.0.2.1' }, 'GET')).toBe(418);
    expect(done).toEqual(['run id', 'exec', 'exec']);
  });

  it('cannot use a node that allows anonymous requests, and gets only 401 from other nodes', async () => {
    const { port, done } = await start({ authentication: { anonymous: true } });
    expect((await ask(port, '/run/ns/web/app?cmd=id', { method: 'POST', headers: { origin: evil } })).status).toBe(403);
    expect(done).toEqual([]);
    const closed = await start();
    expect((await ask(closed.port, '/run/ns/web/app?cmd=id', { method: 'POST', headers: { origin: evil } })).status).toBe(401);
  });

  it('gets no permission to send custom headers', async () => {
    const { port } = await start();
    const headers = { origin: evil, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-forwarded-for' };
    const answer = await ask(port, '/run/ns/web/app', { client, method: 'OPTIONS', headers });
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});
