import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { type CriSubject, criRuntimeSuite, defineSuite, type Fixture } from '@nodeagent/compliance';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { describe, it } from 'vitest';
import { createCriClient } from './client.js';
import { serveCri } from './server.js';

const image = 'busybox:1';

/** The in-memory runtime, asked through a socket. */
async function connectSubject(): Promise<Fixture<CriSubject>> {
  const memory = createMemoryRuntime({ clock: systemClock, images: [image] });
  memory.script('succeeds', { exit: { code: 0 } });
  memory.script('fails', { exit: { code: 3 } });
  memory.script({ image, name: /^ignores-stop/ }, { onStop: 'ignore' });
  memory.script('runs', {
    exec: ([command]) => (command === 'echo' ? { stdout: 'hello\n' } : command === 'sleep' ? { afterMs: 60_000 } : { exitCode: 1 }),
  });
  const server = await serveCri({ runtime: memory.runtime, image: memory.image }, { socket: join(tmpdir(), `cri-${randomUUID()}.sock`) });
  const client = createCriClient({ endpoint: `unix://${server.socket}` });
  return {
    subject: {
      runtime: client.runtime,
      image: client.image,
      container: () => ({ image: { image } }),
      sandbox: { logDirectory: '/logs' },
      images: { present: image, absent: 'absent:1' },
      exec: {
        answers: [
          { cmd: ['false'], exitCode: 1, stdout: '' },
          { cmd: ['echo', 'hello'], exitCode: 0, stdout: 'hello\n' },
        ],
        hangs: ['sleep', '60'],
      },
      sleep: (ms) => systemClock.sleep(ms),
    },
    async cleanup() {
      client.close();
      await server.close();
    },
  };
}

describe('a runtime behind a socket keeps the promises of a', () => {
  defineSuite({ describe, it }, criRuntimeSuite, connectSubject, { without: ['streaming'] });
});
