import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { readUsage } from './container-usage.js';

const root = mkdtempSync(join(tmpdir(), 'usage-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

it('reads a cgroup of v1', () => {
  write({
    'memory/pod/c/memory.stat': 'cache 5\ntotal_inactive_file 100\ntotal_rss 700\n',
    'memory/pod/c/memory.usage_in_bytes': '1000\n',
    'cpuacct/pod/c/cpuacct.usage': '123456\n',
  });
  expect(readUsage('/pod/c', 1, root)).toEqual({ cpuNanos: 123456n, memoryBytes: 1000n, workingSetBytes: 900n, rssBytes: 700n });
});

it('reads a cgroup of v2', () => {
  write({
    'pod/c/memory.stat': 'anon 50\ninactive_file 2000\n',
    'pod/c/memory.current': '1000\n',
    'pod/c/cpu.stat': 'usage_usec 12\nuser_usec 5\n',
  });
  expect(readUsage('/pod/c', 2, root)).toEqual({ cpuNanos: 12_000n, memoryBytes: 1000n, workingSetBytes: 0n, rssBytes: 50n });
});

it('has no usage of a cgroup that does not exist', () => {
  expect(readUsage('/pod/none', 2, root)).toBeUndefined();
});
