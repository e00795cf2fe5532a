import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecordingLogger } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createCgroupMemoryEvents } from './cgroup-memory-events.js';

describe('memory events of a cgroup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-eviction-'));
  const path = join(folder, 'memory.events');
  const end = new AbortController();
  afterEach(() => {
    end.abort();
    rmSync(folder, { recursive: true, force: true });
  });

  it('notify the listener when the file changes; a missing file is logged', async () => {
    const logger = createRecordingLogger();
    createCgroupMemoryEvents({ path, logger }).watch(() => {}, end.signal);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { path } }]);
    writeFileSync(path, 'max 0\n');
    const notified = new Promise<void>((resolve) => createCgroupMemoryEvents({ path, logger }).watch(resolve, end.signal));
    writeFileSync(path, 'max 1\n');
    await notified;
    createCgroupMemoryEvents({ path }).watch(() => {}, AbortSignal.abort());
    expect(logger.lines).toHaveLength(1);
  });
});
