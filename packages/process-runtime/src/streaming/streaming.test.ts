import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { silentLogger } from '@nodeagent/api';
import {
  createSpdySession,
  dialUpgrade,
  type OpenedCommand,
  openHeaders,
  openRemoteCommand,
  parseCommandEnd,
  portForwardProtocol,
} from '@nodeagent/streaming';
import { createVirtualClock } from '@nodeagent/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, startHarness } from '../test-harness.js';
import { createStreamingServer } from './streaming-server.js';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.clean());

const streams = { stdin: false, stdout: true, stderr: true, tty: false };

async function connected(url: string, headers: readonly string[] = openHeaders) {
  const answered = await dialUpgrade({ target: new URL(url), method: 'POST', headers });
  if (answered.socket === undefined) throw new Error(`${answered.answer.statusCode} ${await text(answered.answer)}`);
  return answered;
}

async function exec(containerId: string, cmd: string[], wanted = streams): Promise<OpenedCommand> {
  const { url } = await harness.runtime.exec({ containerId, cmd, ...wanted });
  return openRemoteCommand(await connected(url), wanted);
}

async function attach(containerId: string, wanted = streams): Promise<OpenedCommand> {
  const { url } = await harness.runtime.attach({ containerId, ...wanted });
  return openRemoteCommand(await connected(url), wanted);
}

/** All that a command gives, to its end. */
async function whole({ stdout, stderr, ended, close }: OpenedCommand) {
  const [out, errors, status] = await Promise.all([stdout ? text(stdout) : '', stderr ? text(stderr) : '', ended]);
  close();
  return { out, errors, end: parseCommandEnd(status) };
}

/** Reads on until the text is there. */
async function reads(stream: Readable | undefined, wanted: string): Promise<void> {
  let seen = '';
  const onData = (piece: Buffer) => {
    seen += piece.toString();
  };
  stream?.on('data', onData);
  await expect.poll(() => seen).toContain(wanted);
  stream?.off('data', onData);
}

const sleeper = ['sh', '-c', 'exec sleep 1000'];

describe('Exec', () => {
  it('sends both outputs and the exit code', async () => {
    const id = await harness.run(sleeper, { envs: [{ key: 'WORD', value: Buffer.from('hello') }] });
    const command = ['sh', '-c', 'echo $WORD; echo wrong >&2; exit 42'];
    expect(await whole(await exec(id, command))).toEqual({ out: 'hello\n', errors: 'wrong\n', end: { exitCode: 42 } });
    expect(await whole(await exec(id, ['true']))).toEqual({ out: '', errors: '', end: { exitCode: 0 } });
  });

  it('reads any amount of input until its end', async () => {
    const id = await harness.run(sleeper);
    const input = randomBytes(8_000_000);
    const wanted = { ...streams, stdin: true };
    const command = await exec(id, ['sh', '-c', 'sha256sum; echo done'], wanted);
    command.stdin?.end(input);
    const sum = createHash('sha256').update(input).digest('hex');
    expect((await whole(command)).out).toBe(`${sum}  -\ndone\n`);
    const back = await exec(id, ['cat'], wanted);
    back.stdin?.end(input);
    expect((await buffer(back.stdout as Readable)).equals(input)).toBe(true);
  });

  it('sends all output of an exited command to a client that reads late', async () => {
    const id = await harness.run(sleeper);
    const command = await exec(id, ['sh', '-c', 'head -c 3000000 /dev/zero']);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect((await whole(command)).out).toHaveLength(3_000_000);
  });

  it('does not wait for background processes of the command', async () => {
    const id = await harness.run(sleeper);
    expect(await whole(await exec(id, ['sh', '-c', 'sleep 1000 & echo started']))).toMatchObject({
      out: 'started\n',
      end: { exitCode: 0 },
    });
  });

  it('kills the command when its client disconnects', async () => {
    const id = await harness.run(sleeper);
    const { url } = await harness.runtime.exec({ containerId: id, cmd: ['sh', '-c', 'echo $$; exec sleep 1000'], ...streams });
    const { socket } = await connected(url);
    const command = openRemoteCommand({ socket }, streams);
    let pid = '';
    command.stdout?.on('data', (piece: Buffer) => {
      pid += piece.toString();
    });
    await expect.poll(() => pid).toContain('\n');
    socket.destroy();
    await expect.poll(() => existsSync(`/proc/${pid.trim()}`)).toBe(false);
  });

  it('with `tty` runs on a terminal of the last requested size, also if requested before it exists', async () => {
    const id = await harness.run(sleeper);
    const wanted = { stdin: true, stdout: true, stderr: false, tty: true };
    const sizes = 'until stty size | grep "31 101"; do sleep 0.01; done; read line; until stty size | grep "33 102"; do sleep 0.01; done';
    const command = await exec(id, ['sh', '-c', `test -t 0 && test -t 1 && echo "it's a terminal"; ${sizes}; exit 3`], wanted);
    for (const Width of [99, 100, 101]) command.resize({ Width, Height: 31 });
    await reads(command.stdout, '31 101');
    command.resize({ Width: 102, Height: 33 });
    command.stdin?.write('go\n');
    const { out, end } = await whole(command);
    expect(out).toContain('33 102');
    expect(end).toEqual({ exitCode: 3 });
  });

  it('fails for a missing program, for containers that are unknown or do not run, and for invalid requests', async () => {
    const id = await harness.run(['true']);
    await harness.exit(id);
    const running = await harness.run(sleeper);
    expect((await whole(await exec(running, ['no-such-program']))).end).toEqual({
      error: 'failed to exec in container: exec: "no-such-program": executable file not found in $PATH',
    });
    await expect(exec(id, ['true'])).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
    await expect(exec('ffff', ['true'])).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
    await expect(attach('ffff')).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
    await expect(exec(running, [])).rejects.toMatchObject({ code: 'CRI_INVALID_ARGUMENT' });
    await expect(exec(running, ['true'], { ...streams, tty: true })).rejects.toThrow('tty and stderr cannot both be true');
    await expect(exec(running, ['true'], { ...streams, stdout: false, stderr: false })).rejects.toThrow('must be set');
  });

  it('starts nothing if the container exits before the client connects', async () => {
    const id = await harness.run(sleeper);
    const started = `${harness.folder}/started`;
    const { url } = await harness.runtime.exec({ containerId: id, cmd: ['touch', started], ...streams });
    await harness.runtime.stopContainer({ containerId: id, timeout: 0n });
    const command = openRemoteCommand(await connected(url), streams);
    expect((await whole(command)).end).toMatchObject({ error: expect.stringContaining('is in CONTAINER_EXITED state') });
    expect(existsSync(started)).toBe(false);
  });

  it('serves each URL once', async () => {
    const id = await harness.run(sleeper);
    const { url } = await harness.runtime.exec({ containerId: id, cmd: ['true'], ...streams });
    expect((await whole(openRemoteCommand(await connected(url), streams))).end).toEqual({ exitCode: 0 });
    await expect(connected(url)).rejects.toThrow('404 the URL is unknown, already used or expired');
    await expect(connected(new URL('/exec/guess', url).href)).rejects.toThrow('404');
    const other = await harness.runtime.exec({ containerId: id, cmd: ['true'], ...streams });
    await expect(connected(other.url, ['Connection', 'Upgrade', 'Upgrade', 'h2c'])).rejects.toThrow('400 unable to upgrade');
  });
});

describe('Attach', () => {
  it('sends output from now on, accepts input, and ends when the container exits', async () => {
    const id = await harness.run(['sh', '-c', 'echo before; while read word; do echo "got $word"; echo "no $word" >&2; done; exit 5'], {
      stdin: true,
      stdinOnce: true,
    });
    await harness.logged(id, 1);
    const command = await attach(id, { ...streams, stdin: true });
    command.stdin?.end('one\ntwo\n');
    expect(await whole(command)).toEqual({ out: 'got one\ngot two\n', errors: 'no one\nno two\n', end: { exitCode: 0 } });
    expect((await harness.exit(id)).exitCode).toBe(5);
    expect(await harness.log(id)).toContain('stdout F got two');
  });

  it('disconnects a client that does not read, while the container continues', async () => {
    const id = await harness.run(['sh', '-c', 'read start; head -c 50000000 /dev/zero | tr "\\0" "a"; echo; echo end'], { stdin: true });
    const wanted = { ...streams, stdin: true };
    const { url } = await harness.runtime.attach({ containerId: id, ...wanted });
    const { socket } = await connected(url);
    const command = openRemoteCommand({ socket }, wanted);
    command.stdin?.write('go\n');
    expect((await harness.exit(id)).exitCode).toBe(0);
    socket.destroy();
  });
});

describe('PortForward', () => {
  it("connects to the ports of the machine's loopback interface", async () => {
    const server = createServer((socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const port = `${(server.address() as AddressInfo).port}`;
    const { url } = await harness.runtime.portForward({ podSandboxId: harness.sandbox, port: [Number(port)] });
    const headers = ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'X-Stream-Protocol-Version', portForwardProtocol];
    const { socket, head } = await connected(url, headers);
    const session = createSpdySession({ socket, head, role: 'client' });
    session.open({ streamtype: 'error', port, requestid: '0' }).end();
    const data = session.open({ streamtype: 'data', port, requestid: '0' });
    data.end('hello');
    expect(await text(data)).toBe('hello');
    session.close();
    server.close();
    await expect(harness.runtime.portForward({ podSandboxId: 'ffff', port: [1] })).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
  });
});

describe('the streaming server', () => {
  it('expires unused URLs after a minute, and limits their number', async () => {
    const clock = createVirtualClock();
    const server = createStreamingServer({ clock, logger: silentLogger });
    const offers = [];
    for (let count = 0; count < 1000; count++)
      offers.push(await server.offer('exec', async ({ socket }) => void socket.end('HTTP/1.1 204 None\r\n\r\n')));
    await expect(server.offer('exec', async () => {})).rejects.toMatchObject({ code: 'CRI_RESOURCE_EXHAUSTED', retryable: true });
    await clock.advance(59_999);
    await expect(connected(offers[0] as string)).rejects.toThrow('204');
    await clock.advance(2);
    await expect(connected(offers[1] as string)).rejects.toThrow('404');
    expect(await server.offer('exec', async () => {})).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/exec\/[\w-]{32}$/);
    await server.close();
  });

  it('holds 1000 connections', async () => {
    const server = createStreamingServer({ clock: createVirtualClock(), logger: silentLogger });
    const { port } = new URL(await server.offer('exec', async () => {}));
    const sockets = Array.from({ length: 1010 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
    const isOpen = ({ readyState }: Socket) => readyState === 'open';
    await expect.poll(() => sockets.filter(isOpen).length + sockets.filter(({ closed }) => closed).length).toBe(1010);
    await expect.poll(() => sockets.filter(isOpen).length).toBe(1000);
    for (const socket of sockets) socket.destroy();
    await server.close();
  });
});
