import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { conmonArguments } from './conmon-arguments.js';
import { monitorCgroup } from './monitor-cgroup.js';
import { monitorScope } from './monitor-scope.js';
import { parseCreateReport } from './sync-message.js';

const folders: string[] = [];
const temporary = () => {
  const folder = mkdtempSync(join(tmpdir(), 'conmon-'));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const request = {
  containerId: 'c1',
  runtime: '/usr/bin/crun',
  runtimeRoot: '/r',
  bundle: '/b/c1',
  exitDir: '/exits',
  logPath: '/logs/0.log',
  terminal: false,
  stdin: false,
  leaveStdinOpen: true,
  systemdCgroup: false,
};

describe('the arguments of conmon', () => {
  it('names the container, its files and the OCI runtime', () => {
    expect(conmonArguments(request).join(' ')).toBe(
      '--api-version 1 --cid c1 --cuuid c1 --name c1 --runtime /usr/bin/crun --runtime-arg --root=/r --bundle /b/c1 ' +
        '--container-pidfile /b/c1/pidfile --conmon-pidfile /b/c1/conmon.pid --exit-dir /exits --log-path k8s-file:/logs/0.log ' +
        '--no-sync-log --full-attach --log-level error',
    );
  });

  it.each([
    [{ maxLogBytes: 1024 }, ['--log-path', 'k8s-file:/logs/0.log', '--log-size-max', '1024'], ['--stdin', '--terminal']],
    [{ terminal: true }, ['--terminal'], ['--stdin', '--systemd-cgroup']],
    [{ systemdCgroup: true }, ['--systemd-cgroup'], ['--terminal']],
    [{ stdin: true }, ['--stdin', '--leave-stdin-open'], ['--terminal']],
    [{ stdin: true, leaveStdinOpen: false }, ['--stdin'], ['--leave-stdin-open']],
  ])('has options for %j', (changes, present, absent) => {
    const args = conmonArguments({ ...request, ...changes });
    expect(args).toEqual(expect.arrayContaining(present));
    for (const each of absent) expect(args).not.toContain(each);
  });
});

it('starts conmon in a scope below the slice of its pod', () => {
  const command = monitorScope('/kubepods.slice/kubepods-pod1.slice').command('c1', ['/usr/bin/conmon', '--cid', 'c1']);
  expect(command.join(' ')).toBe(
    'systemd-run --quiet --scope --collect --unit=nodeagent-conmon-c1 --slice=kubepods-pod1.slice --description=monitor of container c1 -- /usr/bin/conmon --cid c1',
  );
  expect(monitorScope('').command('c1', ['conmon'])).toContain('--slice=system.slice');
});

describe("conmon's report of a create", () => {
  it.each([
    ['', undefined],
    ['{"da', undefined],
    ['{"data": 7}\n', { pid: 7 }],
    ['{"pid": 7}\n', { pid: 7 }],
    ['{"data": 7}\nmore', { pid: 7 }],
    ['{"data": -1, "message": "no such file\\n"}\n', { problem: 'no such file' }],
    ['{"data": -1}\n', { problem: 'no process was created', isUnexplained: true }],
  ])('reads %j', (text, report) => {
    expect(parseCreateReport(text)).toEqual(report);
  });
});

describe('the cgroup of conmon', () => {
  it('is one of each hierarchy of v1 that takes processes at once', () => {
    const mountPoint = temporary();
    for (const name of ['memory', 'cpuset', 'systemd']) mkdirSync(join(mountPoint, name));
    const cgroup = monitorCgroup('/pod1', mountPoint);
    cgroup.place(42);
    for (const name of ['memory', 'systemd']) expect(readFileSync(join(mountPoint, name, 'pod1/conmon/cgroup.procs'), 'utf8')).toBe('42');
    expect(existsSync(join(mountPoint, 'cpuset/pod1'))).toBe(false);
  });

  it('is one folder of v2, and its removal is idempotent', () => {
    const mountPoint = temporary();
    writeFileSync(join(mountPoint, 'cgroup.controllers'), 'memory');
    const cgroup = monitorCgroup('/pod1', mountPoint);
    cgroup.place(42);
    const folder = join(mountPoint, 'pod1/conmon');
    expect(readFileSync(join(folder, 'cgroup.procs'), 'utf8')).toBe('42');
    rmSync(join(folder, 'cgroup.procs'));
    cgroup.remove();
    cgroup.remove();
    expect(existsSync(folder)).toBe(false);
  });
});
