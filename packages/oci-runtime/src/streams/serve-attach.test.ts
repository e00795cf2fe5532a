import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type OpenedCommand, parseCommandEnd } from '@nodeagent/streaming';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRunStreams } from '../test-machine.js';
import { startTestPods, type TestPods } from '../test-pod.js';

/** Collects an output, so that it can be compared while it grows. */
function collect(stream: Readable | undefined): () => string {
  let output = '';
  stream?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return () => output;
}

async function whole({ stdout, stderr, ended, close }: OpenedCommand) {
  const [out, errors, status] = await Promise.all([stdout ? text(stdout) : '', stderr ? text(stderr) : '', ended]);
  close();
  return { out, errors, end: parseCommandEnd(status) };
}

/** The text of the first line of a log; undefined while there is none. */
const firstLine = (path: string) => (existsSync(path) ? / F (.*)\n/.exec(readFileSync(path, 'utf8'))?.[1] : undefined);

/** Reads lines and answers on both outputs, until its input ends. */
const answers = 'while read word; do echo "got $word"; echo "no $word" >&2; done; echo over; sleep 0.2; exit 5';

describe.runIf(canRunStreams)('a client that attaches to a container', () => {
  let pods: TestPods;
  let sandbox: string;
  let count = 0;
  /** Each container has its name, and the log of that name. */
  const start = (script: string, config = {}) => {
    const name = `c${++count}`;
    return pods.start(sandbox, script, { metadata: { name, attempt: 0 }, logPath: `${name}.log`, ...config });
  };
  const log = () => pods.log(`c${count}.log`);
  const stateOf = async (containerId: string) => (await pods.oci().runtime.containerStatus({ containerId })).status?.state;
  beforeAll(async () => {
    pods = await startTestPods();
    sandbox = await pods.runSandbox('web');
  });
  afterAll(() => pods.remove());

  it('gets output from now on, sends input, and the end of its input is that of the container with stdinOnce', async () => {
    const id = await start(`echo before; ${answers}`, { stdin: true, stdinOnce: true });
    await expect.poll(log).toContain('before');
    const client = await pods.attach(id);
    client.stdin?.end('one\ntwo\n');
    expect(await whole(client)).toEqual({ out: 'got one\ngot two\nover\n', errors: 'no one\nno two\n', end: { exitCode: 0 } });
    await expect.poll(() => stateOf(id)).toBe('CONTAINER_EXITED');
    expect(log()).toContain('stdout F over');
  });

  it('leaves the input open for later clients without stdinOnce', async () => {
    const id = await start(answers, { stdin: true });
    const first = await pods.attach(id);
    const seen = collect(first.stdout);
    first.stdin?.end('one\n');
    await expect.poll(seen).toBe('got one\n');
    first.close();
    const second = await pods.attach(id);
    const later = collect(second.stdout);
    second.stdin?.write('two\n');
    await expect.poll(later).toBe('got two\n');
    second.close();
    expect(await stateOf(id)).toBe('CONTAINER_RUNNING');
  });

  it('is one of several, that all get the output and may send input', async () => {
    const id = await start(answers, { stdin: true });
    const clients = await Promise.all([1, 2, 3].map(() => pods.attach(id)));
    const outputs = clients.map(({ stdout }) => collect(stdout));
    // The response to its first input: a client gets all output from then on.
    for (const [index, { stdin }] of clients.entries()) {
      stdin?.write(`client ${index}\n`);
      await expect.poll(outputs[index] as () => string).toContain(`got client ${index}\n`);
    }
    clients[0]?.stdin?.write('one\n');
    for (const output of outputs) await expect.poll(output).toMatch(/got one\n$/);
    clients[2]?.close();
    clients[1]?.stdin?.write('two\n');
    for (const output of outputs.slice(0, 2)) await expect.poll(output).toMatch(/got one\ngot two\n$/);
    for (const { close } of clients) close();
    expect(await stateOf(id)).toBe('CONTAINER_RUNNING');
  });

  it('reaches a terminal, whose size it sets first and later', async () => {
    const until = (size: string) => `until stty size | grep "${size}"; do sleep 0.05; done`;
    const script = `stty -echo; ${until('31 101')}; read go; ${until('33 102')}; test -t 1; echo $?`;
    const id = await start(script, { stdin: true, stdinOnce: true, tty: true });
    const client = await pods.attach(id, { tty: true });
    const seen = collect(client.stdout);
    for (const Width of [99, 100, 101]) client.resize({ Width, Height: 31 });
    await expect.poll(seen).toContain('31 101');
    client.resize({ Width: 102, Height: 33 });
    client.stdin?.write('go\n');
    await expect.poll(seen).toMatch(/33 102\r\n0\r\n$/);
    expect(parseCommandEnd(await client.ended)).toEqual({ exitCode: 0 });
    client.close();
  });

  it('sends any amount of input to a container that answers all of it', async () => {
    const id = await start('cat; echo; sleep 0.2', { stdin: true, stdinOnce: true });
    const input = `${randomBytes(2_000_000).toString('hex')}`;
    const client = await pods.attach(id);
    client.stdin?.end(input);
    const { out } = await whole(client);
    const sum = (data: string) => createHash('sha256').update(data).digest('hex');
    expect([out.length, sum(out)]).toEqual([input.length + 1, sum(`${input}\n`)]);
  });

  it('loses no line of a log that is rotated, also when it attaches', async () => {
    const script = 'read go; i=0; while [ $((i+=1)) -le 6000 ]; do echo $i; [ $((i%300)) != 0 ] || sleep 0.05; done; echo end; read end';
    const id = await start(script, { stdin: true });
    const path = join(pods.machine.folder, `logs/c${count}.log`);
    renameSync(path, `${path}.0`);
    const client = await pods.attach(id);
    const seen = collect(client.stdout);
    client.stdin?.write('go\n');
    await pods.oci().runtime.reopenContainerLog({ containerId: id });
    for (let rotation = 1; rotation <= 5; rotation++) {
      // A log is rotated every ten seconds at most: by then the client has output of it, however busy the machine is.
      await expect.poll(() => firstLine(path), { interval: 1 }).toBeDefined();
      const first = firstLine(path);
      await expect.poll(() => seen().split('\n'), { interval: 1 }).toContain(first);
      renameSync(path, `${path}.${rotation}`);
      await pods.oci().runtime.reopenContainerLog({ containerId: id });
      expect(existsSync(path)).toBe(true);
    }
    await expect.poll(seen).toContain('end');
    expect(seen()).toBe(`${Array.from({ length: 6000 }, (_, index) => index + 1).join('\n')}\nend\n`);
    client.close();
  });

  it('gets the output of a container without a log', async () => {
    const id = await start(answers, { stdin: true, stdinOnce: true, logPath: '' });
    const client = await pods.attach(id);
    client.stdin?.end('one\n');
    expect(await whole(client)).toMatchObject({ out: 'got one\nover\n', errors: 'no one\n' });
  });

  it('that does not read neither blocks the container nor takes memory, and gets all when it reads', async () => {
    const id = await start('read go; head -c 50000000 /dev/zero | tr "\\0" a; echo; echo end', { stdin: true });
    const client = await pods.attach(id);
    const before = process.memoryUsage().external;
    client.stdin?.write('go\n');
    await expect.poll(() => stateOf(id)).toBe('CONTAINER_EXITED');
    expect(process.memoryUsage().external - before).toBeLessThan(10_000_000);
    let length = 0;
    client.stdout?.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    client.stderr?.resume();
    expect(parseCommandEnd(await client.ended)).toEqual({ exitCode: 0 });
    client.close();
    expect(length).toBe(50_000_005);
  });

  it('is served again after a restart of the runtime', async () => {
    const id = await start(answers, { stdin: true });
    const first = await pods.attach(id);
    const seen = collect(first.stdout);
    first.stdin?.write('one\n');
    await expect.poll(seen).toBe('got one\n');
    await pods.restart();
    first.close();
    const second = await pods.attach(id);
    const later = collect(second.stdout);
    second.stdin?.write('two\n');
    await expect.poll(later).toBe('got two\n');
    second.close();
  });

  it('needs socat for input only', async () => {
    const id = await start(answers, { stdin: true });
    const path = process.env.PATH;
    process.env.PATH = join(pods.machine.folder, 'bin');
    try {
      mkdirSync(process.env.PATH);
      symlinkSync(
        execFileSync('/usr/bin/env', ['PATH=/usr/bin:/bin', 'which', 'which'], { encoding: 'utf8' }).trim(),
        `${process.env.PATH}/which`,
      );
      const problem = { code: 'UnsupportedPlatform', message: expect.stringContaining('socat'), hint: 'Install it: apt install socat' };
      await expect(pods.attach(id)).rejects.toMatchObject(problem);
      await expect(pods.oci().runtime.portForward({ podSandboxId: sandbox })).rejects.toMatchObject(problem);
      (await pods.attach(id, { stdin: false })).close();
    } finally {
      process.env.PATH = path;
    }
  });

  it('needs a running container', async () => {
    const id = await start('true');
    await expect.poll(() => stateOf(id)).toBe('CONTAINER_EXITED');
    await expect(pods.attach(id)).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
    await expect(pods.attach('ffff')).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
  });
});
