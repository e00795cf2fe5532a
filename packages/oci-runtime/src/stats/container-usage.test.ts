import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { parsePressure, readUsage } from './container-usage.js';

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
  expect(readUsage('/pod/c', 2, root)).toEqual({
    cpuNanos: 12_000n,
    userNanos: 5_000n,
    memoryBytes: 1000n,
    workingSetBytes: 0n,
    rssBytes: 50n,
  });
});

it('has no usage of a cgroup that does not exist', () => {
  expect(readUsage('/pod/none', 2, root)).toBeUndefined();
});

it('reads limits, swap, page faults, processes and pressure', () => {
  write({
    'pod/c/memory.stat': 'anon 50\nfile 60\nfile_mapped 7\ninactive_file 200\npgfault 8\npgmajfault 9\n',
    'pod/c/memory.current': '1000\n',
    'pod/c/memory.max': '5000\n',
    'pod/c/memory.swap.current': '70\n',
    'pod/c/cpu.stat': 'usage_usec 12\nuser_usec 5\nsystem_usec 7\n',
    'pod/c/cgroup.procs': '1\n2\n',
    'pod/c/cpu.pressure': 'some avg10=1.50 avg60=0.00 avg300=0.00 total=12\nfull avg10=0.00 avg60=0.00 avg300=0.25 total=3\n',
    'none/memory.stat': '',
    'none/memory.current': '1\n',
    'none/memory.max': 'max\n',
    'none/cpu.stat': '',
  });
  expect(readUsage('/pod/c', 2, root)).toStrictEqual({
    cpuNanos: 12_000n,
    userNanos: 5_000n,
    systemNanos: 7_000n,
    memoryBytes: 1000n,
    workingSetBytes: 800n,
    rssBytes: 50n,
    cacheBytes: 60n,
    mappedFileBytes: 7n,
    swapBytes: 70n,
    pageFaults: 8n,
    majorPageFaults: 9n,
    memoryLimitBytes: 5000n,
    processes: 2n,
    pressure: {
      cpu: { some: { total: 12n, avg10: 1.5, avg60: 0, avg300: 0 }, full: { total: 3n, avg10: 0, avg60: 0, avg300: 0.25 } },
    },
  });
  expect(readUsage('/none', 2, root)).not.toHaveProperty('memoryLimitBytes');
  expect(parsePressure('')).toBeUndefined();
});
