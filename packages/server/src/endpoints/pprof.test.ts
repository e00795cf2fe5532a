import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestServers } from '../test-server.js';

const {
  admin: client,
  ask,
  serve,
  serving,
  stopAll,
} = createTestServers({
  authority: createTestAuthority(),
  createClock: createVirtualClock,
});
afterEach(stopAll);

const snapshotFile = fileURLToPath(new URL('./test-heap-snapshot.ts', import.meta.url));
/** Its tsconfig.json names the sources of the packages. */
const repository = fileURLToPath(new URL('../../../..', import.meta.url));

interface Frame {
  callFrame: { functionName: string };
  children: Frame[];
}
const functionsOf = ({ callFrame, children }: Frame): string[] => [callFrame.functionName, ...children.flatMap(functionsOf)];

describe('/debug/pprof/heap', () => {
  it('samples allocations, without memory contents', async () => {
    const { port, clock } = await serve();
    const heldSecret = randomBytes(16).toString('hex');
    const asked = ask(port, '/debug/pprof/heap?seconds=5', { client });
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    const kept = allocateMuch(heldSecret);
    await clock.advance(5_000);
    const { status, headers, body } = await asked;
    expect([status, headers['content-disposition']]).toEqual([200, 'attachment; filename="heap.heapprofile"']);
    expect(functionsOf(JSON.parse(body).head)).toContain('allocateMuch');
    expect(kept).toHaveLength(100_000);
    expect(body).not.toContain(heldSecret);
    expect(body).not.toContain(serving.key.split('\n')[1]);
    expect(body.length).toBeLessThan(1e6);
  });

  it('refuses periods that are invalid', async () => {
    const { port } = await serve();
    for (const seconds of ['0', '-1', 'x', '601']) {
      expect((await ask(port, `/debug/pprof/heap?seconds=${seconds}`, { client })).status, seconds).toBe(400);
    }
  });
});

describe('/debug/pprof/heapsnapshot', () => {
  it('is served only where an option allows it', async () => {
    const closed = await serve();
    expect(await ask(closed.port, '/debug/pprof/heapsnapshot', { client })).toMatchObject({
      status: 405,
      body: 'heap snapshots are disabled.\n',
    });
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', snapshotFile], { cwd: repository });
    expect(stdout).toBe('200 {"snapshot":\n');
  });
});

function allocateMuch(secret: string): { text: string }[] {
  return Array.from({ length: 100_000 }, (_, index) => ({ text: `${secret} ${index}` }));
}
