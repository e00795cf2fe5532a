import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeAgentError, silentLogger } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createContainerLogReader } from './container-log-reader.js';
import { nodeLogSource } from './read/node-log-source.js';

const { signal } = new AbortController();

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'container-logs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const logPath = join(folder, '0.log');
  writeFileSync(logPath, '2026-01-01T00:00:00.000000000Z stdout F hello\n2026-01-01T00:00:01.000000000Z stderr F error\n');
  const cri = {
    async containerStatus({ containerId }: { containerId?: string }) {
      if (containerId !== 'id-app') throw new NodeAgentError('CRI_NOT_FOUND', 'no such container');
      return { status: { logPath, state: 'CONTAINER_EXITED' } as never, info: {} };
    },
  };
  const reader = createContainerLogReader({ cri, clock: createVirtualClock(), logger: silentLogger, source: nodeLogSource });
  return async (id: string, follow = false) => {
    let text = '';
    for await (const piece of reader.read(id, { streams: 'All', follow, signal })) text += Buffer.from(piece).toString();
    return text;
  };
}

it('reads the log at the path that the runtime reports, and ends a follower when the container has terminated', async () => {
  const read = setUp();
  expect(await read('memory://id-app')).toBe('hello\nerror\n');
  expect(await read('memory://id-app', true)).toBe('hello\nerror\n');
});

it('fails for a container that the runtime does not know', async () => {
  await expect(setUp()('memory://unknown')).rejects.toMatchObject({
    message: 'unable to retrieve container logs for memory://unknown',
    code: 'LogUnavailable',
  });
});
