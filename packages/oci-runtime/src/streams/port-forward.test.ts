import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { createSpdySession, dialUpgrade, portForwardProtocol, type SpdySession } from '@nodeagent/streaming';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { canRunStreams } from '../test-machine.js';
import { startTestPods, type TestPods } from '../test-pod.js';

const headers = ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'X-Stream-Protocol-Version', portForwardProtocol];

describe.runIf(canRunStreams)('PortForward', () => {
  let pods: TestPods;
  let sandbox: string;
  const sessions: SpdySession[] = [];
  beforeAll(async () => {
    pods = await startTestPods();
    sandbox = await pods.runSandbox('web');
  });
  afterEach(() => {
    for (const session of sessions.splice(0)) session.close();
  });
  afterAll(() => pods.remove());

  const forward = async (podSandboxId: string) => {
    const { url } = await pods.oci().runtime.portForward({ podSandboxId, port: [] });
    const answered = await dialUpgrade({ target: new URL(url), method: 'POST', headers });
    if (answered.socket === undefined) throw new Error(await text(answered.answer));
    const { socket, head } = answered;
    const session = createSpdySession({ socket, head, role: 'client' });
    sessions.push(session);
    let count = 0;
    return {
      socket,
      connect(port: number) {
        const of = { port: `${port}`, requestid: `${count++}` };
        const error = session.open({ streamtype: 'error', ...of });
        error.end();
        const reported = text(error);
        // The test closes the connection.
        reported.catch(() => {});
        return { error: reported, data: session.open({ streamtype: 'data', ...of }) };
      },
    };
  };

  /** Starts socat as a server in the network of the sandbox, and waits until it listens. */
  const serve = async (name: string, address: string, answer: string) => {
    const script = `exec socat -d -d -t 1000 ${address} ${answer}`;
    const metadata = { name, attempt: 0 };
    await pods.start(sandbox, script, { metadata, logPath: `${name}.log` });
    await expect.poll(() => pods.log(`${name}.log`)).toContain('listening on');
  };

  it('connects to ports of the pod, over IPv4 and IPv6, with an independent end of each direction', async () => {
    await serve('echo', 'TCP4-LISTEN:4001,fork,bind=127.0.0.1', 'PIPE');
    await serve('sum', 'TCP6-LISTEN:4002,fork,bind=[::1]', '"EXEC:sha256sum"');
    const { connect } = await forward(sandbox);
    const { data, error } = connect(4001);
    data.end('hello');
    expect([await text(data), await error]).toEqual(['hello', '']);
    const sum = connect(4002);
    sum.data.end('x'.repeat(1_000_000));
    expect(await text(sum.data)).toMatch(/^[0-9a-f]{64} {2}-\n$/);
    expect(await sum.error).toBe('');
  });

  it('serves many connections at once, and its programs end with the client', async () => {
    const { connect, socket } = await forward(sandbox);
    const connections = Array.from({ length: 30 }, () => connect(4001));
    for (const [index, { data }] of connections.entries()) data.write(`${index}\n`);
    const answers = await Promise.all(connections.map(async ({ data }) => `${(await once(data, 'data'))[0]}`));
    expect(answers).toEqual(connections.map((_, index) => `${index}\n`));
    expect(forwarders(4001)).toBe(30);
    socket.destroy();
    await expect.poll(() => forwarders(4001)).toBe(0);
  });

  it('reports a refused port as containerd does, and serves others', async () => {
    const { connect } = await forward(sandbox);
    const { data, error } = connect(4999);
    data.resume();
    const refused = (version: number, address: string) => `IPv${version}: dial tcp${version} ${address}:4999: connect: connection refused`;
    expect(await error).toBe(
      `error forwarding port 4999: failed to connect to localhost:4999 inside namespace "${sandbox}", ` +
        `${refused(4, '127.0.0.1')} ${refused(6, '[::1]')}`,
    );
    const next = connect(4001);
    next.data.end('again');
    expect(await text(next.data)).toBe('again');
  });

  it('connects to ports of the machine for a pod in its network', async () => {
    const host = await pods.runSandbox('host', 'NODE');
    const server: Server = createServer((socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const { connect } = await forward(host);
    const { data } = connect(port);
    data.end('hello');
    expect(await text(data)).toBe('hello');
    const inPod = (await forward(sandbox)).connect(port);
    inPod.data.resume();
    expect(await inPod.error).toContain('connection refused');
    server.close();
  });

  it('is refused for a sandbox that is unknown or stopped', async () => {
    const stopped = await pods.runSandbox('stopped');
    await pods.oci().runtime.stopPodSandbox({ podSandboxId: stopped });
    await expect(forward(stopped)).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
    await expect(forward('ffff')).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
  });
});

/** The programs that have a connection to a port. */
function forwarders(port: number): number {
  const commands = readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
  return commands.filter((command) => command.includes(`TCP4:127.0.0.1:${port}`)).length;
}
