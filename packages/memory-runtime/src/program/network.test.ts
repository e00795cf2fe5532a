import { expect, it } from 'vitest';
import { named, setUp } from '../memory-runtime.fixture.js';
import type { Program, ProgramContext } from './program.js';

/** A server pod at 10.88.0.2 and a client pod; `client` gives the client's context. */
async function pods(server: Program) {
  const node = setUp({ hostIPs: ['172.16.0.1'] });
  let client: ProgramContext | undefined;
  node.memory.programImage('server:1', server);
  node.memory.programImage('client:1', (context) => {
    client = context;
    return new Promise(() => {});
  });
  for (const image of ['server:1', 'client:1']) await node.image.pullImage({ image: { image } });
  const [serverPod, clientPod] = [await node.run('server'), await node.run('client')];
  const id = await node.start(serverPod, { image: { image: 'server:1' } });
  await node.start(clientPod, { image: { image: 'client:1' } });
  await node.clock.settle();
  if (client === undefined) throw new Error('the client has not started');
  const { fetch } = client;
  const outcome = async (...request: Parameters<typeof fetch>) => {
    const response = fetch(...request).then(
      async (reply) => `${reply.status} ${await reply.text()}`,
      (error) => `${error.name}: ${error.message} ${error.cause?.message ?? ''}`.trim(),
    );
    await node.clock.advance(20_000);
    return Promise.race([response, 'waits']);
  };
  return { ...node, client, outcome, id, serverPod };
}

const shop: Program = async ({ listen, sleep }) => {
  listen(8080, async (request) => {
    const { method, path, query, headers, remoteAddress } = request;
    if (path === '/slow') await sleep(5_000);
    if (path === '/never') await new Promise(() => {});
    if (path === '/error') throw new Error('no stock');
    if (path === '/missing') return { status: 404, headers: { 'X-Reason': 'none' }, body: 'no' };
    if (path === '/json') return { json: { sum: Number(query.get('a')) + ((await request.json()) as number) } };
    if (path === '/nothing') return undefined;
    return `${method} ${request.url} ${headers['x-token'] ?? '-'} ${remoteAddress} ${await request.text()}`;
  });
  listen(9090);
  listen(50051, { health: (service) => (service === '' ? 'SERVING' : undefined) });
  return new Promise(() => {});
};

const cases: [url: string, options: object, outcome: string][] = [
  ['http://10.88.0.2:8080/a?b=c', { method: 'post', headers: { 'X-Token': 't' }, body: 'x' }, '200 POST /a?b=c t 10.88.0.3 x'],
  ['http://10.88.0.2:8080/json?a=2', { body: '3' }, '200 {"sum":5}'],
  ['http://10.88.0.2:8080/nothing', {}, '200'],
  ['http://10.88.0.2:8080/missing', {}, '404 no'],
  ['http://10.88.0.2:8080/error', {}, '500 Internal Server Error'],
  ['http://10.88.0.2:8080/slow', {}, '200 GET /slow - 10.88.0.3'],
  ['http://10.88.0.2:8080/never', {}, 'waits'],
  ['http://10.88.0.2:9090/', {}, 'TypeError: fetch failed read ECONNRESET'],
  ['http://10.88.0.2:50051/', {}, 'TypeError: fetch failed read ECONNRESET'],
  ['http://10.88.0.2/', {}, 'TypeError: fetch failed connect ECONNREFUSED 10.88.0.2:80'],
  ['http://localhost:8080/', {}, 'TypeError: fetch failed connect ECONNREFUSED localhost:8080'],
  ['http://10.88.9.9/', {}, 'TypeError: fetch failed connect EHOSTUNREACH 10.88.9.9:80'],
  ['http://172.16.0.1/', {}, 'TypeError: fetch failed connect ECONNREFUSED 172.16.0.1:80'],
  ['http://shop/', {}, 'TypeError: fetch failed getaddrinfo ENOTFOUND shop'],
  ['ftp://shop/', {}, 'TypeError: fetch failed unknown scheme'],
];
it.each(cases)('fetch(%s)', async (url, options, expected) => {
  const { outcome } = await pods(shop);
  expect((await outcome(url, options)).trim()).toBe(expected);
});

it('a request ends with its signal, its server or its client', async () => {
  const { outcome, client, clock, memory, id } = await pods(shop);
  expect(await outcome('http://10.88.0.2:8080/never', { signal: client.timeout(2_000) })).toMatch(/^TimeoutError/);
  const reset = outcome('http://10.88.0.2:8080/never');
  await clock.advance(1_000);
  memory.kill(id);
  expect(await reset).toBe('TypeError: fetch failed read ECONNRESET');
  expect(clock.pending).toBe(0);
});

it('containers of a pod share its ports', async () => {
  const { memory, runtime, start, serverPod, clock } = await pods(shop);
  const second = await start(serverPod, { ...named('second'), image: { image: 'server:1' } });
  await clock.settle();
  expect(memory.logs(second)[0]).toBe('Uncaught NetworkError: listen EADDRINUSE 0.0.0.0:8080');
  memory.programImage('local:1', async ({ fetch, stdout, hostname, addresses }) => {
    for (const host of ['localhost', '127.0.0.1', hostname, addresses[0]]) stdout(await (await fetch(`http://${host}:8080/`)).text());
  });
  await memory.image.pullImage({ image: { image: 'local:1' } });
  const local = await start(serverPod, { ...named('local'), image: { image: 'local:1' } });
  await clock.advance(100);
  expect(memory.logs(local)).toEqual(Array(4).fill('GET / - 10.88.0.2 '));
  await runtime.stopPodSandbox({ podSandboxId: serverPod });
  expect(memory.connect('10.88.0.2', 8080)).toBeUndefined();
});

it('a closed server completes the requests in flight, and refuses others', async () => {
  const { outcome, clock } = await pods(({ listen, sleep }) => {
    const server = listen(8080, async () => {
      server.close();
      await sleep(1_000);
      return 'last';
    });
    return new Promise(() => {});
  });
  const first = outcome('http://10.88.0.2:8080/');
  await clock.advance(10);
  expect(await outcome('http://10.88.0.2:8080/')).toContain('ECONNREFUSED');
  expect(await first).toBe('200 last');
});

it('a body of parts arrives part by part, and breaks off when the server is killed', async () => {
  const { client, clock, memory, id } = await pods(({ listen, sleep }) => {
    async function* parts() {
      for (const part of ['a', 'b', 'c']) {
        await sleep(1_000);
        yield part;
      }
    }
    listen(8080, () => ({ body: parts() }));
    return new Promise(() => {});
  });
  const parts: [number, string][] = [];
  const startedAt = client.now();
  const reading = (async () => {
    for await (const part of (await client.fetch('http://10.88.0.2:8080/')).body) parts.push([client.now() - startedAt, part]);
  })().catch((error) => error.message);
  await clock.advance(2_500);
  memory.kill(id);
  expect(await reading).toBe('read ECONNRESET');
  expect(parts).toEqual([
    [1_001, 'a'],
    [2_001, 'b'],
  ]);
  expect(clock.pending).toBe(0);
});

it('a scripted container of a pod with a program leaves the ports to it', async () => {
  const { memory, start, serverPod } = await pods(shop);
  memory.script('scripted', {});
  await start(serverPod, { ...named('scripted') });
  expect([memory.serves('10.88.0.2', 9090), memory.serves('10.88.0.2', 9091)]).toEqual([true, false]);
  memory.script('serving', { serves: (_, port) => port === 9091 });
  await start(serverPod, { ...named('serving') });
  expect([memory.serves('10.88.0.2', 9090), memory.serves('10.88.0.2', 9091)]).toEqual([true, true]);
});
