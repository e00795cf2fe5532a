import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server, createSecureServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeHealthRequest } from './handlers/health-codec.js';
import { machineProbeNetwork } from './machine-probe-network.js';
import { type ProbeSpec, type ProbeTarget, type RunProbeOptions, runProbe as runProbeOver } from './run-probe.js';

const host = '127.0.0.1';

const runProbe = (spec: ProbeSpec, target?: ProbeTarget, options?: RunProbeOptions) =>
  runProbeOver(spec, target, { network: machineProbeNetwork, ...options });

/** Lets a server listen until the test is over, and its connections go with it. */
async function listen(server: Server | Http2Server, at = host): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.listen(0, at);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A server that answers each connection's first bytes with these. */
const raw = (answer: (socket: Socket, request: string) => void) =>
  createTcpServer((socket) => socket.once('data', (data) => answer(socket, data.toString())));

const http = (port: number | string, more: Record<string, unknown> = {}) => ({ httpGet: { path: '/healthz', port, ...more } });
/** From an untrusted authority and for another name: probes verify neither. */
const tls = createTestAuthority().issueServer(['other.example']);

describe('a probe without a target', () => {
  it('errors without a network, except for commands', async () => {
    const error = expect.stringContaining('machineProbeNetwork of @nodeagent/prober/node');
    for (const probe of [{ httpGet: { port: 80 } }, { tcpSocket: { port: 80 } }, { grpc: { port: 80 } }]) {
      expect(await runProbeOver(probe)).toEqual({ result: 'unknown', output: '', error });
    }
    const exec = async () => ({ exitCode: 0 });
    expect(await runProbeOver({ exec: { command: ['true'] } }, { exec })).toEqual({ result: 'success', output: '' });
  });

  it('connects to this machine', async () => {
    const port = await listen(createTcpServer());
    expect(await runProbe({ tcpSocket: { port } })).toEqual({ result: 'success', output: '' });
  });

  it('runs no command', async () => {
    const error = 'the target has no exec function to run the command with';
    expect(await runProbe({ exec: { command: ['true'] } })).toEqual({ result: 'unknown', output: '', error });
  });

  it('runs a command whose output is not reported', async () => {
    const exec = async ([program]: string[]) => ({ exitCode: program === 'true' ? 0 : 1 });
    expect(await runProbe({ exec: { command: ['true'] } }, { exec })).toEqual({ result: 'success', output: '' });
    expect(await runProbe({ exec: { command: ['false'] } }, { exec })).toEqual({ result: 'failure', output: '' });
  });
});

describe('an HTTP probe', () => {
  it('sends what the kubelet sends', async () => {
    let seen = '';
    const port = await listen(
      raw((socket, request) => {
        seen = request;
        socket.end('HTTP/1.1 200 OK\r\n\r\nfine');
      }),
    );
    expect(await runProbe(http('web'), { host, ports: [{ name: 'web', containerPort: port }] })).toEqual({
      result: 'success',
      output: 'fine',
    });
    expect(seen.split('\r\n').filter(Boolean)).toEqual([
      'GET /healthz HTTP/1.1',
      `Host: ${host}:${port}`,
      'User-Agent: kube-probe/1.36',
      'Accept: */*',
      'Connection: close',
    ]);
  });

  it('sends the configured headers, repeated ones too', async () => {
    let seen = '';
    const port = await listen(
      raw((socket, request) => {
        seen = request;
        socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      }),
    );
    const httpHeaders = [
      { name: 'host', value: 'virtual.example' },
      { name: 'user-agent', value: '' },
      { name: 'accept', value: '' },
      { name: 'x-a', value: '1' },
      { name: 'X-A', value: 'ä' },
      { name: 'Content-Length', value: '5' },
    ];
    expect((await runProbe(http(port, { path: '/a?b=c d', httpHeaders }), { host })).result).toBe('success');
    expect(seen.split('\r\n').filter(Boolean)).toEqual([
      'GET /a?b=c d HTTP/1.1',
      'Host: virtual.example',
      'X-A: 1',
      'X-A: ä',
      'Connection: close',
    ]);
  });

  it('depends on the status code', async () => {
    const port = await listen(createHttpServer(({ url }, response) => response.writeHead(Number(url?.slice(1))).end('secret')));
    const at = (status: number) => runProbe(http(port, { path: `/${status}` }), { host });
    expect(await at(299)).toEqual({ result: 'success', output: 'secret' });
    expect(await at(304)).toEqual({ result: 'warning', output: 'Probe terminated redirects, Response body: ' });
    expect(await at(404)).toEqual({ result: 'failure', output: 'HTTP probe failed with statuscode: 404' });
    expect(await at(503)).toEqual({ result: 'failure', output: 'HTTP probe failed with statuscode: 503' });
  });

  it('follows redirects to the same host, also with another port and scheme, and warns of one to another host', async () => {
    const referers: unknown[] = [];
    const secure = await listen(
      createHttpsServer(tls, ({ headers }, response) => {
        referers.push(headers.referer);
        response.end('arrived');
      }),
    );
    const port = await listen(
      createHttpServer(({ url }, response) => {
        const location = url === '/far' ? 'http://localhost/' : url === '/loop' ? '/loop' : `https://${host}:${secure}/x`;
        response.writeHead(302, { location }).end('moved');
      }),
    );
    expect(await runProbe(http(port, { path: '/near' }), { host })).toEqual({ result: 'success', output: 'arrived' });
    expect(referers).toEqual([`http://${host}:${port}/near`]);
    expect(await runProbe(http(port, { path: '/far' }), { host })).toEqual({
      result: 'warning',
      output: 'Probe terminated redirects, Response body: moved',
    });
    expect(await runProbe(http(port, { path: '/loop' }), { host })).toEqual({
      result: 'failure',
      output: 'Get "/loop": stopped after 10 redirects',
    });
  });

  it('fails if the server redirects to a protocol other than HTTP and HTTPS', async () => {
    const port = await listen(raw((socket) => socket.end(`HTTP/1.1 302 Found\r\nLocation: ftp://${host}/file\r\n\r\n`)));
    expect(await runProbe(http(port), { host })).toEqual({
      result: 'failure',
      output: `Get "ftp://${host}/file": unsupported protocol scheme "ftp"`,
    });
  });

  it('reads at most 10 KiB of an endless body', async () => {
    let written = 0;
    const port = await listen(
      createHttpServer((_, response) => {
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(1024))) written += 1024;
        };
        response.on('drain', more);
        more();
      }),
    );
    const { result, output } = await runProbe(http(port), { host });
    expect([result, output.length]).toEqual(['success', 10_240]);
    expect(written).toBeLessThan(64 << 20);
  });

  it('fails if the server hangs, delays the headers or refuses, and returns an error if it truncates or delays the body', async () => {
    const text = (port: number, why: string) => ({ result: 'failure', output: `Get "http://${host}:${port}/healthz": ${why}` });
    const awaiting = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    const timeoutSeconds = 0.2;
    const hanging = await listen(createTcpServer());
    expect(await runProbe({ ...http(hanging), timeoutSeconds }, { host })).toEqual(text(hanging, awaiting));
    const slow = await listen(
      raw((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('X-A: b\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      }),
    );
    expect(await runProbe({ ...http(slow), timeoutSeconds }, { host })).toEqual(text(slow, awaiting));
    const closing = await listen(raw((socket) => socket.end()));
    expect(await runProbe(http(closing), { host })).toEqual(text(closing, 'EOF'));
    const port = await listen(createTcpServer());
    const unused = createTcpServer().listen(0, host);
    await once(unused, 'listening');
    const refusing = (unused.address() as AddressInfo).port;
    unused.close();
    await once(unused, 'close');
    expect(refusing).not.toBe(port);
    expect(await runProbe(http(refusing), { host })).toEqual(text(refusing, `dial tcp ${host}:${refusing}: connect: connection refused`));
    const halfBody = await listen(raw((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')));
    expect(await runProbe(http(halfBody), { host })).toEqual({ result: 'failure', output: '', error: 'unexpected EOF' });
    const slowBody = await listen(raw((socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')));
    expect(await runProbe({ ...http(slowBody), timeoutSeconds }, { host })).toEqual({
      result: 'failure',
      output: '',
      error: 'context deadline exceeded (Client.Timeout or context cancellation while reading body)',
    });
  });

  it('supports HTTP/1.0 and a server that half-closes the connection', async () => {
    const old = await listen(raw((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nold')));
    expect(await runProbe(http(old), { host })).toEqual({ result: 'success', output: 'old' });
    const half = createTcpServer({ allowHalfOpen: true }, (socket) => {
      socket.resume();
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    expect(await runProbe(http(await listen(half)), { host })).toEqual({ result: 'success', output: 'ok' });
  });

  it('reports responses that are not HTTP', async () => {
    const port = await listen(raw((socket) => socket.end('SSH-2.0-OpenSSH\r\n')));
    expect((await runProbe(http(port), { host })).output).toContain('malformed HTTP response "SSH-2.0-OpenSSH"');
    const upgrading = await listen(
      raw((socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')),
    );
    expect(await runProbe(http(upgrading), { host })).toEqual({ result: 'failure', output: 'HTTP probe failed with statuscode: 101' });
    const header = http(port, { httpHeaders: [{ name: 'X-A', value: 'a\nb' }] });
    expect(await runProbe(header, { host })).toMatchObject({
      result: 'failure',
      output: expect.stringContaining('net/http: invalid header field value for "X-A"'),
    });
  });

  it('accepts any certificate, and offers HTTP/1.1 only', async () => {
    const answer = ({ httpVersion, headers }: { httpVersion: string; headers: object }, response: { end(text: string): void }) =>
      response.end(`${httpVersion} ${JSON.stringify(headers).includes('kube-probe/1.36')}`);
    const one = await listen(createHttpsServer(tls, answer));
    const both = createSecureServer({ ...tls, allowHTTP1: true }, answer as never);
    const two = await listen(both as unknown as Server);
    const secure = (port: number, path = '/') => runProbe(http(port, { scheme: 'HTTPS', path }), { host });
    expect(await secure(one)).toEqual({ result: 'success', output: '1.1 true' });
    expect(await secure(two)).toEqual({ result: 'success', output: '1.1 true' });
  });

  it('distinguishes servers without TLS from failing TLS handshakes', async () => {
    const plain = await listen(createHttpServer((_, response) => response.end()));
    const url = `https://${host}:${plain}/healthz`;
    expect(await runProbe(http(plain, { scheme: 'HTTPS' }), { host })).toEqual({
      result: 'failure',
      output: `Get "${url}": http: server gave HTTP response to HTTPS client`,
    });
    const hanging = await listen(createTcpServer());
    expect(await runProbe({ ...http(hanging, { scheme: 'HTTPS' }), timeoutSeconds: 0.2 }, { host })).toMatchObject({
      result: 'failure',
      output: expect.stringContaining('Client.Timeout exceeded'),
    });
    const silent = await listen(createTlsServer(tls, (socket) => socket.on('error', () => {})));
    expect(await runProbe({ ...http(silent, { scheme: 'HTTPS' }), timeoutSeconds: 0.2 }, { host })).toMatchObject({
      result: 'failure',
      output: expect.stringContaining('Client.Timeout exceeded'),
    });
  });

  it('connects to IPv6 addresses', async () => {
    const port = await listen(
      createHttpServer(({ headers }, response) => response.end(headers.host)),
      '::1',
    );
    expect(await runProbe(http(port), { host: '::1' })).toEqual({ result: 'success', output: `[::1]:${port}` });
  });

  it('returns an error for invalid ports', async () => {
    expect(await runProbe(http('web'), { host })).toEqual({
      result: 'unknown',
      output: '',
      error: 'strconv.Atoi: parsing "web": invalid syntax',
    });
    expect(await runProbe(http(0), { host })).toMatchObject({ error: 'invalid port number: 0' });
  });

  it('rejects with the reason of the signal', async () => {
    const hanging = await listen(createTcpServer());
    const controller = new AbortController();
    const probing = runProbe(http(hanging), { host }, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 20);
    await expect(probing).rejects.toThrow('enough');
    await expect(runProbe(http(hanging), { host }, { signal: controller.signal })).rejects.toThrow('enough');
  });
});

describe('a TCP probe', () => {
  it('succeeds if it can connect', async () => {
    const port = await listen(createTcpServer());
    expect(await runProbe({ tcpSocket: { port } }, { host })).toEqual({ result: 'success', output: '' });
    expect(await runProbe({ tcpSocket: { port, host: 'localhost' } }, { host: '192.0.2.1' })).toMatchObject({ result: 'success' });
    expect(await runProbe({ tcpSocket: { port: 1 } }, { host })).toEqual({
      result: 'failure',
      output: `dial tcp ${host}:1: connect: connection refused`,
    });
  });
});

describe('an exec probe', () => {
  it('depends on the exit code and expands variables', async () => {
    const commands: string[][] = [];
    const exec = async (command: string[]) => {
      commands.push(command);
      return { exitCode: command[0] === 'fails' ? 3 : 0, stdout: 'out', stderr: Buffer.from('err') };
    };
    const env = [
      { name: 'A', value: 'a' },
      { name: 'B', valueFrom: {} },
    ];
    expect(await runProbe({ exec: { command: ['$(A)', '$(B)', '$(C)', '$$(A)'] } }, { host, exec, env })).toEqual({
      result: 'success',
      output: 'outerr',
    });
    expect(commands).toEqual([['a', '', '$(C)', '$(A)']]);
    expect(await runProbe({ exec: { command: ['fails'] } }, { host, exec })).toEqual({ result: 'failure', output: 'outerr' });
    expect(await runProbe({ exec: { command: ['x'] } }, { host })).toMatchObject({ result: 'unknown' });
    expect(await runProbe({}, { host })).toMatchObject({ error: 'missing probe handler' });
  });
});

describe('a gRPC probe', () => {
  /** A server that answers every call of the health service with this status, or as `answer` does. */
  const health = (answer: (stream: ServerHttp2Stream, request: Buffer) => void) => {
    const server = createHttp2Server();
    server.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (headers[':path'] !== '/grpc.health.v1.Health/Check') return;
        answer(stream, Buffer.concat(chunks));
      });
    });
    return server;
  };
  const serving = (status: number) => (stream: ServerHttp2Stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.from([0, 0, 0, 0, status === 0 ? 0 : 2, ...(status === 0 ? [] : [8, status])]));
  };
  const failing = (status: number, message: string) => (stream: ServerHttp2Stream) =>
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status), 'grpc-message': encodeURIComponent(message) },
      { endStream: true },
    );
  const probe = (port: number, service?: string, timeoutSeconds = 30) =>
    runProbe({ grpc: { port, ...(service !== undefined && { service }) }, timeoutSeconds }, { host });
  /** Of a server that never answers. */
  const probeInVain = (port: number) => probe(port, undefined, 0.3);

  it('requests the service by name and succeeds only if it is SERVING', async () => {
    let asked: Uint8Array = Buffer.alloc(0);
    const answer = serving(1);
    const port = await listen(
      health((stream, request) => {
        asked = request;
        answer(stream);
      }),
    );
    expect(await probe(port, 'db')).toEqual({ result: 'success', output: 'service healthy' });
    expect(Buffer.from(asked).subarray(5)).toEqual(encodeHealthRequest('db'));
    expect(await probe(await listen(health(serving(2))))).toEqual({
      result: 'failure',
      output: 'service unhealthy (responded with "NOT_SERVING")',
    });
    expect((await probe(await listen(health(serving(0))))).output).toBe('service unhealthy (responded with "UNKNOWN")');
  });

  it('fails if the service is unknown, the call fails or hangs, or the server does not support HTTP/2', async () => {
    expect(await probe(await listen(health(failing(12, 'unknown service grpc.health.v1.Health'))))).toEqual({
      result: 'failure',
      output:
        'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service grpc.health.v1.Health',
    });
    expect((await probe(await listen(health(failing(5, 'unknown service'))))).output).toBe(
      'error: health rpc probe failed: unknown service',
    );
    expect((await probeInVain(await listen(health(() => {})))).output).toBe('timeout: health rpc did not complete within 300ms');
    const hanging = await listen(createTcpServer());
    expect((await probeInVain(hanging)).output).toBe(
      `timeout: failed to connect service "${host}:${hanging}" within 300ms: context deadline exceeded`,
    );
    expect((await probe(1)).output).toBe(
      `error: failed to connect service at "${host}:1": dial tcp ${host}:1: connect: connection refused`,
    );
    const other = await listen(createHttpServer((_, response) => response.end()));
    expect((await probeInVain(other)).output).toMatch(/^(error|timeout): failed to connect service/);
    const plain = await listen(createHttp2Server((_, response) => response.writeHead(404).end()));
    expect((await probe(plain)).output).toContain('does not implement the grpc health protocol');
  });
});
