import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it, onTestFinished } from 'vitest';

const settings = 4;
const altsvc = 10;

function frame(type: number, payload: readonly number[], stream = 0): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** Two malformed ALTSVC frames: nghttp2 before 1.68.1 fails an assertion in a client that gets them, and the process aborts. */
const malformed = [
  [[0, 0], []],
  [
    [0, 0],
    [0, 9, 97],
  ],
  [
    [0, 0, 97],
    [255, 255, 97, 98],
  ],
].map(([first = [], second = []]) =>
  Buffer.concat([frame(settings, []), frame(altsvc, first), frame(altsvc, second), frame(altsvc, second, 1)]),
);

const sourceOf = (path: string) => JSON.stringify(fileURLToPath(new URL(`../../packages/${path}`, import.meta.url)));

const folder = mkdtempSync(join(tmpdir(), 'attack-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A separate process, which an abort would end. */
function start(script: string) {
  const file = join(folder, 'script.mjs');
  writeFileSync(file, script);
  const child = spawn(process.execPath, ['--import', 'tsx', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
}

it('gRPC probes survive servers that send malformed ALTSVC frames', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write(malformed[connections++ % malformed.length] as Buffer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { child, lines } = start(`import { runProbe } from ${sourceOf('prober/src/index.ts')};
    import { machineProbeNetwork as network } from ${sourceOf('prober/src/node.ts')};
    for (let each = 0; each < ${malformed.length}; each++) console.log((await runProbe({ grpc: { port: ${port} } }, {}, { network })).result);
    process.exit(0);
  `);
  const exit = once(child, 'exit');
  for (const _ of malformed) expect((await lines.next()).value).toBe('failure');
  expect(await exit).toEqual([0, null]);
  expect(connections).toBe(malformed.length);
});

it('servers on sockets of plug-ins survive clients that send malformed ALTSVC frames', async () => {
  const socketPath = join(folder, 'g.sock');
  const { child, lines } = start(`import(${sourceOf('grpc/src/index.ts')}).then(async ({ serveGrpc }) => {
    await serveGrpc({ socketPath: ${JSON.stringify(socketPath)}, methods: [] });
    console.log('serving');
  })`);
  expect((await lines.next()).value).toBe('serving');
  for (const bytes of [...malformed, frame(settings, [])]) {
    const socket = connect(socketPath);
    socket.on('error', () => {});
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), bytes]));
    // The server's own SETTINGS: it still answers.
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer[3]).toBe(settings);
    socket.destroy();
  }
  expect(child.exitCode).toBeNull();
});
