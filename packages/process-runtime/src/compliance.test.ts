import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { type ContainerKind, type CriSubject, criRuntimeSuite, defineSuite, type Fixture } from '@nodeagent/compliance';
import type { ContainerConfig } from '@nodeagent/cri-api';
import { describe, it } from 'vitest';
import { createProcessRuntime } from './process-runtime.js';

/** Nothing here needs time to get ready for its stop signal: SIGURG does nothing to a process that does not ask for it. */
const containers: Record<ContainerKind, ContainerConfig> = {
  runs: { command: ['sleep', '1000'] },
  succeeds: { command: ['true'] },
  fails: { command: ['sh', '-c', 'exit 3'] },
  'ignores-stop': { command: ['sleep', '1000'], stopSignal: 'SIGURG' },
};

const echoServer = (port: number) => `require('node:net').createServer((socket) => socket.pipe(socket)).listen(${port}, '127.0.0.1')`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startSubject(): Promise<Fixture<CriSubject>> {
  const folder = mkdtempSync(join(tmpdir(), 'process-runtime-'));
  const { runtime, image, start, stop, stopAll } = createProcessRuntime({ root: join(folder, 'state'), clock: systemClock });
  await start();
  const port = await freePort();
  return {
    subject: {
      runtime,
      image,
      container: (kind) => ({ image: { image: 'host' }, ...containers[kind] }),
      sandbox: { logDirectory: join(folder, 'logs') },
      images: { present: 'host', absent: 'nginx:1' },
      exec: {
        answers: [
          { cmd: ['true'], exitCode: 0, stdout: '' },
          { cmd: ['sh', '-c', 'echo hello; exit 5'], exitCode: 5, stdout: 'hello\n' },
        ],
        hangs: ['sleep', '60'],
      },
      streaming: {
        copies: ['cat'],
        // In the network of this machine.
        echoes: { command: [process.execPath, '-e', echoServer(port)], port, refused: await freePort() },
      },
      sleep: (ms) => systemClock.sleep(ms),
    },
    async cleanup() {
      await stopAll(0);
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe('the embedded runtime keeps the promises of a', () => {
  defineSuite({ describe, it }, criRuntimeSuite, startSubject);
});
