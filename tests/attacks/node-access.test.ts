import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createInProcessTransport, createKubeClient } from '@nodeagent/kube-client';
import { createMetricsRegistry, createNodeServer, type NodeServerOptions } from '@nodeagent/server';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';

const authority = createTestAuthority();
const material = { ...authority.issueServer(['localhost']), clientCA: authority.cert };
const monitoring = authority.issueClient({ commonName: 'monitoring' });
const pod = { metadata: { name: 'web', namespace: 'ns', uid: 'u1' }, spec: { containers: [{ name: 'app', image: 'nginx:1' }] } };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** A node server with everything on, whose API server allows the verbs. `entered`: the calls that entered a pod. */
async function serve(verbs: readonly string[], options: Partial<NodeServerOptions> = {}) {
  const entered: string[] = [];
  const enter = (name: string) => async () => {
    entered.push(name);
    return new URL('http://127.0.0.1:1/');
  };
  const server = createNodeServer({
    nodeName: 'n1',
    pods: { pods: () => [pod] },
    streaming: { execUrl: enter('exec'), attachUrl: enter('attach'), portForwardUrl: enter('portForward') },
    runInContainer: async () => {
      entered.push('run');
      return Buffer.alloc(0);
    },
    checkpoint: async () => '/checkpoint.tar',
    runningPods: async () => [],
    configz: () => ({ secret: true }),
    flagz: () => ({ secret: 'true' }),
    registry: createMetricsRegistry(),
    statusz: { binaryVersion: '1', emulationVersion: '1' },
    systemLogsDir: '/var/log',
    setVerbosity: () => {},
    ui: (_, response) => void response.end('secret'),
    ...options,
    https: {
      address: '127.0.0.1',
      port: 0,
      tls: () => material,
      authentication: {},
      authorization: {
        mode: 'Webhook',
        subjectAccessReviews: {
          create: async (review) => {
            const { verb = '' } = review.spec.resourceAttributes ?? {};
            return { ...review, status: { allowed: verbs.includes(verb) } };
          },
        },
      },
    },
  });
  stops.push(() => server.stop());
  await server.start();
  if (options.healthz) await expect.poll(() => server.ports.healthz).toBeDefined();
  return { server, entered };
}

/** The status of a request whose target and headers are sent as they are. */
async function statusOf(
  port: number | undefined,
  method: string,
  target: string,
  headers: readonly string[] = [],
  isTls = true,
): Promise<number> {
  const socket = isTls
    ? connectTls({ host: '127.0.0.1', port: port ?? 0, rejectUnauthorized: false, ...monitoring })
    : connect(port ?? 0, '127.0.0.1');
  socket.on('error', () => {});
  socket.write([`${method} ${target} HTTP/1.1`, 'Host: n1', ...headers, '', ''].join('\r\n'));
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(head.toString().split(' ')[1]);
}

const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
const webSocket = (protocol: string) => [
  'Connection: Upgrade',
  'Upgrade: websocket',
  key,
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Protocol: ${protocol}`,
];
const transports: Readonly<Record<string, readonly string[]>> = {
  'no upgrade': [],
  'SPDY/3.1': ['Connection: Upgrade', 'Upgrade: SPDY/3.1', 'X-Stream-Protocol-Version: v4.channel.k8s.io'],
  'a WebSocket of v4': webSocket('v4.channel.k8s.io'),
  'a WebSocket of v5': webSocket('v5.channel.k8s.io'),
  'a tunnel': webSocket('SPDY/3.1+portforward.k8s.io'),
  'a method in a header': [
    'X-HTTP-Method-Override: POST',
    'X-Original-Method: POST',
    'X-Original-URL: /healthz',
    'X-Forwarded-For: 127.0.0.1',
  ],
};

/** Spellings of a path that routers and authorizers are known to treat differently. */
function spellings(path: string): string[] {
  const [, name = '', ...rest] = path.split('/');
  const below = rest.join('/');
  const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  return [
    ...[path, `${path}/`, `/${path}`, `//${name}//${below}`, `/${encoded}/${below}`, `/${name}%2f${below}`, `/%2f${name}/${below}`],
    ...[
      `/${encoded.replace('%', '%25')}/${below}`,
      `/./${name}/${below}`,
      `/healthz/..${path}`,
      `/healthz/%2e%2e${path}`,
      `/pods/..${path}`,
    ],
    ...[`/stats/summary/../..${path}`, `/metrics/..%2f${name}/${below}`, `/${name.toUpperCase()}/${below}`, `/${name};a=b/${below}`],
    ...[`/${name}/./${below}`, `/${name}%00/${below}`, `/healthz;${path}`, `/healthz?${path}`, `/healthz%3f${path}`, `/healthz#${path}`],
    ...[`http://n1${path}`, `https://n1:10250/${path}`, `\\${name}\\${below.replaceAll('/', '\\')}`, `/ui/..${path}`, `*`],
  ];
}

const entries = ['/exec/ns/web/app', '/attach/ns/web/u1/app', '/portForward/ns/web', '/run/ns/web/app'];
const query = 'command=id&cmd=id&output=1&input=1&port=80';
const withQuery = (target: string) => `${target}${target.includes('?') ? '&' : '?'}${query}`;

describe('a client that may only get nodes/proxy (kubernetes/kubernetes#136550)', () => {
  it.each(Object.entries(transports))('enters no pod by GET over %s, however it spells the path', async (name, headers) => {
    // The server chooses between the upgrades after it has decided by the path.
    const isSpelled = ['no upgrade', 'SPDY/3.1'].includes(name);
    const { server, entered } = await serve(['get']);
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'get']) {
      for (const target of isSpelled && method === 'GET' ? entries.flatMap(spellings) : entries) {
        const status = await statusOf(server.ports.https, method, withQuery(target), headers);
        const isHealth = target.startsWith('/healthz?') && status === 200;
        if (!isHealth) expect(status, `${method} ${target}`).toBeGreaterThanOrEqual(400);
      }
    }
    expect(entered).toEqual([]);
  });

  it('would enter them with create', async () => {
    const { server, entered } = await serve(['get', 'create']);
    for (const target of entries) await statusOf(server.ports.https, 'GET', withQuery(target), transports['SPDY/3.1']);
    await statusOf(server.ports.https, 'POST', '/run/ns/web/app?cmd=id');
    expect(entered).toEqual(['exec', 'attach', 'portForward', 'run']);
  });
});

/** What a kubelet serves with authentication and `enableDebuggingHandlers` only. */
const debugging = [
  ...[
    '/debug/pprof',
    '/debug/pprof/',
    '/debug/pprof/profile?seconds=1',
    '/debug/pprof/heap',
    '/debug/pprof/heapsnapshot',
    '/debug/flags/v',
  ],
  ...['/configz', '/flagz', '/statusz', '/runningpods/', '/logs/', '/containerLogs/ns/web/app', '/ui/', '/checkpoint/ns/web/app'],
  ...['/run/ns/web/app?cmd=id', ...entries.map(withQuery)],
];

describe('endpoints for debugging (CVE-2019-11248)', () => {
  it.each(['readOnly', 'healthz'] as const)('are not on the %s port, however the path is spelled', async (name) => {
    const { server, entered } = await serve([], {
      readOnly: { address: '127.0.0.1', port: 0 },
      healthz: { address: '127.0.0.1', port: 0 },
    });
    for (const path of debugging) {
      const encoded = path.replace(/^\/(.)/, (_, first: string) => `/%${first.charCodeAt(0).toString(16)}`);
      for (const target of [path, `/${path}`, `/%2e${path}`, `/healthz/..${path}`, encoded]) {
        for (const method of ['GET', 'POST', 'PUT']) {
          expect([400, 404, 405], `${method} ${target}`).toContain(await statusOf(server.ports[name], method, target, [], false));
        }
      }
    }
    expect(entered).toEqual([]);
  });

  it('give the healthz port nothing but health, and the read-only port what a kubelet gives', async () => {
    const { server } = await serve([], { readOnly: { address: '127.0.0.1', port: 0 }, healthz: { address: '127.0.0.1', port: 0 } });
    const served = async (port: number | undefined) => {
      const paths = ['/healthz', '/pods', '/stats/summary', '/metrics', '/metrics/cadvisor', ...debugging];
      const statuses = await Promise.all(paths.map((path) => statusOf(port, 'GET', path, [], false)));
      return paths.filter((_, at) => statuses[at] === 200);
    };
    expect(await served(server.ports.healthz)).toEqual(['/healthz']);
    expect(await served(server.ports.readOnly)).toEqual(['/healthz', '/pods', '/metrics']);
  });

  it('are off with enableDebuggingHandlers=false, for every client', async () => {
    const { server, entered } = await serve(['get', 'create', 'update'], { settings: { enableDebuggingHandlers: false } });
    // The node page has a separate switch.
    for (const path of debugging.filter((each) => each !== '/ui/')) {
      for (const method of ['GET', 'POST', 'PUT']) {
        expect([404, 405], `${method} ${path}`).toContain(await statusOf(server.ports.https, method, path));
      }
    }
    expect(entered).toEqual([]);
  });
});

describe('a service account token', () => {
  it('is refused if it is for another audience, expired, forged or of a deleted pod, and once its review has expired', async () => {
    const clock = createVirtualClock();
    const api = createTestApiServer({ clock });
    const client = createKubeClient({ cluster: { server: 'http://api' }, transport: createInProcessTransport(api) });
    await client.serviceAccounts.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'default', name: 'sa' } });
    await client.pods.create({ ...pod, metadata: { namespace: 'default', name: 'web' }, spec: { ...pod.spec, serviceAccountName: 'sa' } });
    const tokenFor = async (spec: object) => {
      const request = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: [] as string[], expirationSeconds: 600, ...spec },
      };
      return (await client.serviceAccounts.createToken({ namespace: 'default', name: 'sa' }, request)).status?.token ?? '';
    };
    const server = createNodeServer({
      nodeName: 'n1',
      pods: { pods: () => [pod] },
      clock,
      https: {
        ...{ address: '127.0.0.1', port: 0, tls: () => authority.issueServer(['localhost']) },
        ...{ authentication: { tokenReviews: client.tokenReviews }, authorization: { mode: 'AlwaysAllow' } },
      },
    });
    stops.push(() => server.stop());
    await server.start();
    const statusWith = (token: string) => statusOf(server.ports.https, 'GET', '/pods', [`Authorization: Bearer ${token}`]);

    const [own, other, ofPod] = [
      await tokenFor({}),
      await tokenFor({ audiences: ['vault'] }),
      await tokenFor({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'web' } }),
    ];
    const [header, payload] = own.split('.');
    expect(await statusWith(own)).toBe(200);
    expect(await statusWith(ofPod)).toBe(200);
    expect(await statusWith(other)).toBe(401);
    expect(await statusWith(`${header}.${payload}.`)).toBe(401);
    await client.pods.delete({ namespace: 'default', name: 'web' });
    await clock.advance(120_000);
    expect(await statusWith(ofPod)).toBe(401);
    expect(await statusWith(own)).toBe(200);
    await clock.advance(600_000);
    expect(await statusWith(own)).toBe(401);
  });
});
