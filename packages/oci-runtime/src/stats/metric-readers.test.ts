import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findProcess } from '../state/process-ref.js';
import { mountSource } from './block-devices.js';
import { readCgroupDetails } from './cgroup-details.js';
import { readProcessDetails } from './process-details.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'details-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

describe('the details of a cgroup', () => {
  const read = (version: 1 | 2) => readCgroupDetails('/pod/c', version, { cgroups: root, sys: join(root, 'sys') });

  it('of v1 are those of its controllers', () => {
    write({
      'cpu/pod/c/cpu.stat': 'nr_periods 10\nnr_throttled 3\nthrottled_time 5000\n',
      'memory/pod/c/memory.max_usage_in_bytes': '2000\n',
      'memory/pod/c/memory.kmem.usage_in_bytes': '300\n',
      'memory/pod/c/memory.failcnt': '4\n',
      'memory/pod/c/memory.soft_limit_in_bytes': '9223372036854771712\n',
      'memory/pod/c/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
      'pids/pod/c/pids.current': '7\n',
      'pids/pod/c/pids.max': 'max\n',
      'blkio/pod/c/blkio.throttle.io_service_bytes_recursive': '8:0 Read 4096\n8:0 Write 0\n8:0 Total 4096\n253:1 Read 1\nTotal 4097\n',
      'blkio/pod/c/blkio.throttle.io_serviced_recursive': '8:0 Read 2\nTotal 2\n',
      'sys/dev/block/8:0/uevent': 'MAJOR=8\nMINOR=0\nDEVNAME=sda\nDEVTYPE=disk\n',
    });
    expect(read(1)).toEqual({
      ...{ periods: 10n, throttledPeriods: 3n, throttledNanos: 5000n },
      ...{ maxMemoryBytes: 2000n, kernelMemoryBytes: 300n, memoryFailures: 4n, memoryReservationBytes: 0n, oomKills: 2n },
      ...{ threads: 7n, maxThreads: 0n },
      devices: [
        {
          ...{ device: '/dev/sda', major: '8', minor: '0' },
          bytes: new Map([
            ['Read', 4096n],
            ['Write', 0n],
            ['Total', 4096n],
          ]),
          operations: new Map([['Read', 2n]]),
        },
        { device: '', major: '253', minor: '1', bytes: new Map([['Read', 1n]]), operations: new Map() },
      ],
    });
  });

  it('of v2 are those of its files', () => {
    write({
      'pod/c/cpu.stat': 'usage_usec 12\nnr_periods 10\nnr_throttled 3\nthrottled_usec 5\n',
      'pod/c/memory.peak': '2000\n',
      'pod/c/memory.stat': 'anon 5\nkernel 300\n',
      'pod/c/memory.events': 'low 0\nhigh 0\nmax 4\noom 3\noom_kill 2\noom_group_kill 0\n',
      'pod/c/memory.low': '1000\n',
      'pod/c/pids.current': '7\n',
      'pod/c/pids.max': '100\n',
      'pod/c/io.stat': '8:0 rbytes=4096 wbytes=10 rios=2 wios=1 dbytes=0 dios=0\n254:0 \n',
    });
    expect(read(2)).toEqual({
      ...{ periods: 10n, throttledPeriods: 3n, throttledNanos: 5000n },
      ...{ maxMemoryBytes: 2000n, kernelMemoryBytes: 300n, memoryFailures: 4n, memoryReservationBytes: 1000n, oomKills: 2n },
      ...{ threads: 7n, maxThreads: 100n },
      devices: [
        {
          ...{ device: '', major: '8', minor: '0' },
          bytes: new Map([
            ['Read', 4096n],
            ['Write', 10n],
            ['Discard', 0n],
          ]),
          operations: new Map([
            ['Read', 2n],
            ['Write', 1n],
            ['Discard', 0n],
          ]),
        },
        { device: '', major: '254', minor: '0', bytes: new Map(), operations: new Map() },
      ],
    });
  });

  it('are absent where the kernel has none', () => {
    expect(read(1)).toEqual({ devices: [] });
    expect(read(2)).toEqual({ devices: [] });
  });
});

describe('the details of processes', () => {
  const read = (pids: string) => {
    write({ 'memory/c/cgroup.procs': pids });
    return readProcessDetails({ cgroup: '/c', version: 1, first: undefined }, { cgroups: root, proc: root });
  };
  const open = (pid: number, ...targets: string[]) => {
    mkdirSync(join(root, `${pid}/fd`), { recursive: true });
    for (const [descriptor, target] of targets.entries()) symlinkSync(target, join(root, `${pid}/fd/${descriptor}`));
  };

  it('are sums over all that run', async () => {
    open(3, '/dev/null', 'socket:[1]', 'pipe:[2]');
    open(4, 'socket:[3]');
    expect(await read('3\n4\n5\n')).toEqual({ fileDescriptors: 4n, sockets: 2n });
    expect(await read('')).toEqual({ fileDescriptors: 0n, sockets: 0n });
  });

  it('are absent if a container has too many files open to count them', async () => {
    open(3, ...Array.from({ length: 20_001 }, () => 'socket:[1]'));
    expect(await read('3\n')).toEqual({});
  });

  it('have the limit of the first process, if it has one', async () => {
    const child = spawn('sleep', ['60']);
    onTestFinished(() => void child.kill());
    const first = findProcess(child.pid ?? 0);
    const limitOf = async (text: string) => {
      write({ [`${child.pid}/limits`]: text });
      return (await readProcessDetails({ cgroup: '/c', version: 2, first }, { cgroups: root, proc: root })).maxOpenFiles;
    };
    const head = 'Limit                     Soft Limit           Hard Limit           Units     \n';
    expect(await limitOf(`${head}Max open files            1024                 1048576              files     \n`)).toBe(1024n);
    expect(await limitOf(`${head}Max open files            unlimited            unlimited            files     \n`)).toBeUndefined();
  });
});

describe('what a file system is mounted from', () => {
  it('is that of the mount that contains the path', () => {
    write({
      mountinfo: [
        '6 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
        '7 6 0:30 / /var/lib/images rw - tmpfs scratch rw',
        '8 6 0:31 / /var/lib/images-2 rw - tmpfs other rw',
        '',
      ].join('\n'),
    });
    const source = (path: string) => mountSource(path, join(root, 'mountinfo'));
    expect(source('/var/lib')).toBe('/dev/vda');
    expect(source('/var/lib/images/mounts')).toBe('scratch');
    expect(mountSource('/', join(root, 'none'))).toBe('');
  });
});
