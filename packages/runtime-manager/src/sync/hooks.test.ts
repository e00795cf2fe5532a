import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { type HTTPGetAction, NodeAgentError } from '@nodeagent/api';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestNode } from '../test-node.js';
import { createHookRunner, runOverCri } from './hook-runner.js';
import type { HookRequest } from './hooks.js';
import { httpsToHttpServer } from './http-get.js';
import { nodeHttpGet } from './node-http-get.js';

const pod = buildPod({
  name: 'web',
  namespace: 'ns',
  uid: 'u1',
  containers: [{ name: 'app', ports: [{ name: 'web', containerPort: 8080 }] }],
});
const [container] = pod.spec?.containers ?? [];
const request = (handler: HookRequest['handler'], podIp: HookRequest['podIp'] = async () => '10.0.0.7'): HookRequest => ({
  pod,
  container: container ?? { name: 'app' },
  containerId: 'c1',
  handler,
  podIp,
});

function setUp(answers: (number | Error)[] = []) {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const recorder = createRecordingRecorder();
  const requests: [string, Record<string, string>][] = [];
  const httpGet = async (url: URL, headers: Readonly<Record<string, string>>) => {
    requests.push([url.href, { ...headers }]);
    const answer = answers.shift() ?? 200;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return {
    clock,
    memory,
    recorder,
    requests,
    runner: createHookRunner({ runInContainer: runOverCri(memory.runtime), clock, recorder, httpGet }),
  };
}

describe('HTTP hooks', () => {
  it.each([
    [{ port: 'web', path: 'a/b?x=1' }, 'http://10.0.0.7:8080/a/b?x=1'],
    [{ port: 80, host: 'svc', path: '/', scheme: 'HTTPS' }, 'https://svc:80/'],
    [{ port: '81' }, 'http://10.0.0.7:81/'],
  ])('%j requests %s', async (httpGet, url) => {
    const { runner, requests } = setUp([500]);
    await runner.run(request({ httpGet }));
    expect(requests.map(([href]) => href)).toEqual([new URL(url).href]);
  });

  it('retry without TLS and credentials if the server has plain HTTP', async () => {
    const { runner, requests, recorder } = setUp([new NodeAgentError(httpsToHttpServer, 'plain')]);
    const httpHeaders = [
      { name: 'Authorization', value: 'secret' },
      { name: 'user-agent', value: 'me' },
    ];
    await runner.run(request({ httpGet: { port: 1234, scheme: 'HTTPS', httpHeaders } }));
    expect(requests[0]).toEqual(['https://10.0.0.7:1234/', { 'User-Agent': 'me', Accept: '*/*', Authorization: 'secret' }]);
    expect(requests[1]).toEqual(['http://10.0.0.7:1234/', { 'User-Agent': 'me', Accept: '*/*' }]);
    expect(recorder.lines).toEqual([
      'Warning LifecycleHTTPFallback request to HTTPS lifecycle hook 10.0.0.7:1234 got HTTP response, retry with HTTP succeeded',
    ]);
  });

  it.each<[HTTPGetAction, HookRequest['podIp'], string]>([
    [{ port: 80 }, async () => undefined, 'failed to find networking container'],
    [{ port: 80 }, async () => Promise.reject(new Error('down')), 'unable to get pod, event handlers may be invalid: down'],
    [{ port: 'nope' }, async () => '1.2.3.4', 'strconv.Atoi: parsing "nope": invalid syntax'],
  ])('%j fail without an address or port', async (httpGet, podIp, text) => {
    const failed = setUp().runner.run(request({ httpGet: { ...httpGet, path: '/x' } }, podIp));
    await expect(failed).rejects.toThrow(`HTTP lifecycle hook (/x) for Container "app" in Pod "web_ns(u1)" failed - error: ${text}`);
  });

  it('over a real socket accept any status, detect plain HTTP, and end when aborted', async () => {
    const server = createServer((incoming, response) => {
      if (incoming.url === '/hang') return;
      response.writeHead(404).end('no');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    try {
      expect(await nodeHttpGet(new URL(`http://127.0.0.1:${port}/`), {})).toBe(404);
      await expect(nodeHttpGet(new URL(`https://127.0.0.1:${port}/`), {})).rejects.toMatchObject({ code: httpsToHttpServer });
      const controller = new AbortController();
      const hanging = nodeHttpGet(new URL(`http://127.0.0.1:${port}/hang`), {}, controller.signal);
      controller.abort();
      await expect(hanging).rejects.toThrow();
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('an HTTP hook, as Go does,', () => {
  /** Makes a request to a server that answers with these bytes; resolves with the status and the request. */
  async function get(answer: string, headers: Record<string, string> = {}) {
    let request = '';
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (data) => {
        request = data.toString();
        socket.end(answer);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const status = await nodeHttpGet(new URL(`http://127.0.0.1:${port}/a?b`), headers);
      return { status, request: request.replaceAll(`${port}`, 'PORT').split('\r\n').filter(Boolean) };
    } finally {
      server.close();
    }
  }
  const ok = 'HTTP/1.1 200 OK\r\n';

  it.each([
    ['lines that end with LF', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
    ['folded fields', `${ok}A: b\r\n c\r\n\r\nok`],
    ['a length beside chunks', `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
    ['equal lengths', `${ok}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`],
    ['an incomplete body', `${ok}Content-Length: 5\r\n\r\nok`],
  ])('accepts %s', async (_, answer) => {
    expect(await get(answer)).toMatchObject({ status: 200 });
  });

  it.each([
    ['different lengths', `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`, 'cannot contain multiple Content-Length headers'],
    ['a field without a colon', `${ok}foo\r\n\r\n`, 'malformed MIME header: missing colon: "foo"'],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n', 'malformed HTTP response "SSH-2.0-OpenSSH"'],
    ['nothing', '', 'EOF'],
  ])('refuses %s', async (_, answer, text) => {
    await expect(get(answer)).rejects.toThrow(text);
  });

  it('sends the headers, with one host and without those of a body', async () => {
    const { request } = await get(`${ok}\r\n`, { 'X-A': 'b', host: 'example.com', 'content-length': '5' });
    expect(request).toEqual(['GET /a?b HTTP/1.1', 'Host: example.com', 'X-A: b', 'Connection: close']);
    expect((await get(`${ok}\r\n`)).request[1]).toBe('Host: 127.0.0.1:PORT');
  });

  it('ends with the body of the response', async () => {
    let end: (() => void) | undefined;
    const server = createTcpServer((socket) =>
      socket.once('data', () => {
        socket.write(`${ok}Content-Length: 2\r\n\r\no`);
        end = () => socket.end('k');
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    let status: number | undefined;
    const { port } = server.address() as AddressInfo;
    const done = nodeHttpGet(new URL(`http://127.0.0.1:${port}/`), {}).then((received) => {
      status = received;
    });
    await expect.poll(() => end).toBeDefined();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(status).toBeUndefined();
    end?.();
    await done;
    expect(status).toBe(200);
    server.close();
  });
});

describe('other hooks', () => {
  it('a failed exec hook reports its output', async () => {
    const { clock, memory, recorder } = setUp();
    const cri = { execSync: async () => ({ exitCode: 2, stdout: new TextEncoder().encode('o'), stderr: new TextEncoder().encode('e') }) };
    const runner = createHookRunner({ runInContainer: runOverCri(cri), clock, recorder });
    await expect(runner.run(request({ exec: { command: ['a', 'b'] } }))).rejects.toThrow(
      'Exec lifecycle hook ([a b]) for Container "app" in Pod "web_ns(u1)" failed - error: command \'a b\' exited with 2: e, message: "oe"',
    );
    expect(memory.calls).toEqual([]);
  });

  it('a sleep hook ends when aborted', async () => {
    const { runner, clock } = setUp();
    await clock.run(runner.run(request({ sleep: { seconds: 5 } })));
    const controller = new AbortController();
    const sleeping = runner.run(request({ sleep: { seconds: 5 } }), controller.signal);
    controller.abort();
    await expect(sleeping).rejects.toThrow('Sleep lifecycle hook (5)');
    await expect(runner.run(request({}))).rejects.toMatchObject({ code: 'HookError' });
  });
});

describe('hooks in the container lifecycle', () => {
  it('a failed postStart hook stops the container and is its waiting reason', async () => {
    const { clock, memory, recorder } = setUp();
    const node = createTestNode(memory, clock, { recorder });
    memory.script('a', { exec: { exitCode: 1 } });
    const hooked = buildPod({
      name: 'p',
      terminationGracePeriodSeconds: 5,
      containers: [{ name: 'a', lifecycle: { postStart: { exec: { command: ['false'] } } } }],
    });
    const { results } = await node.sync(hooked);
    expect(results.at(-1)?.error).toMatchObject({ code: 'PostStartHookError' });
    expect(recorder.lines.slice(-2)).toEqual(['Warning FailedPostStartHook PostStartHook failed', 'Normal Killing FailedPostStartHook']);
    expect(memory.callsOf('stopContainer')[0]?.request).toMatchObject({ timeout: 5n });
  });

  it('the time of a preStop hook counts towards the grace period, which also limits it', async () => {
    const { clock, memory, recorder } = setUp();
    const node = createTestNode(memory, clock, { recorder });
    const hooked = buildPod({
      name: 'p',
      terminationGracePeriodSeconds: 10,
      containers: ['slow', 'endless', 'failing'].map((name) => ({ name, lifecycle: { preStop: { exec: { command: ['x'] } } } })),
    });
    memory.script('slow', { exec: { afterMs: 3500 } });
    memory.script('endless', { exec: { afterMs: 1e9 } });
    memory.script('failing', { exec: { exitCode: 1 } });
    await node.sync(hooked);
    await clock.run(node.kill(hooked));
    const timeouts = memory.callsOf('stopContainer').map(({ request: stop }) => {
      const { containerId, timeout } = stop as { containerId: string; timeout: bigint };
      return [memory.containers().find(({ id }) => id === containerId)?.name, timeout];
    });
    expect(Object.fromEntries(timeouts)).toEqual({ slow: 7n, endless: 2n, failing: 10n });
    expect(recorder.lines).toContain('Warning FailedPreStopHook PreStopHook failed');
  });

  it('no preStop hook runs without a grace period', async () => {
    const { clock, memory } = setUp();
    const node = createTestNode(memory, clock);
    const lifecycle = { preStop: { exec: { command: ['x'] } } };
    const hooked = buildPod({ name: 'p', terminationGracePeriodSeconds: 0, containers: [{ name: 'a', lifecycle }] });
    await node.sync(hooked);
    await clock.run(node.kill(hooked));
    expect(memory.callsOf('execSync')).toEqual([]);
    expect(memory.containers('a').map(({ state }) => state)).toEqual(['exited']);
  });
});
