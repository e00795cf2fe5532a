import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endMonitor } from './conmon/end-monitor.js';
import { startMonitor } from './conmon/start-monitor.js';
import type { OciRuntime } from './oci-runtime.js';
import { canRunContainers, createTestMachine, type TestMachine } from './test-machine.js';
import { createTestPods } from './test-pods.js';

describe.runIf(canRunContainers)('a program that fails', () => {
  let machine: TestMachine;
  beforeEach(() => {
    machine = createTestMachine();
  });
  afterEach(() => machine.remove());

  const script = (name: string, lines: string) => {
    const path = join(machine.folder, name);
    writeFileSync(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
    return path;
  };

  it('as a conmon that hangs is an error at its time limit, and can be ended', async () => {
    const pidFile = join(machine.folder, 'pid');
    const conmon = script('hanging-conmon', `sleep 1000 & echo $! > ${pidFile}; wait`);
    const clock = createVirtualClock();
    const files = { bundle: machine.folder, exitDir: machine.folder, logPath: join(machine.folder, 'log') };
    const container = { containerId: 'hanging', ...files, terminal: false, stdin: false, leaveStdinOpen: false, systemdCgroup: false };
    const cgroup = { command: (_id: string, command: [string, ...string[]]) => command, place() {}, remove() {} };
    const started = startMonitor({ ...container, runtime: 'crun', runtimeRoot: '/r' }, { conmon, clock, cgroup });
    started.catch(() => {});
    await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').trim()).toBeTruthy();
    await clock.advance(60_000);
    await expect(started).rejects.toThrow(`${conmon} has not created container hanging within 60000 ms`);
    await endMonitor('hanging', systemClock);
    expect(existsSync(`/proc/${readFileSync(pidFile, 'utf8').trim()}/exe`)).toBe(false);
  });

  it('as a conmon that is too old is named, with the version to install', async () => {
    const conmon = script('old-conmon', 'echo --no-sync-log');
    await expect(machine.create({ conmon }).start()).rejects.toMatchObject({
      code: 'UnsupportedPlatform',
      message: expect.stringContaining(`cannot use ${conmon}: it has no option --full-attach`),
      hint: 'Install conmon 2.1 or later.',
    });
  });

  it('as a conmon that is missing is named, with the package to install', async () => {
    await expect(machine.create({ conmon: 'no-such-conmon' }).start()).rejects.toMatchObject({
      code: 'UnsupportedPlatform',
      hint: 'Install it: apt install no-such-conmon',
    });
  });

  it('as an OCI runtime that hangs for a container delays no other', async () => {
    const [flag, pidFile] = [join(machine.folder, 'hang'), join(machine.folder, 'pid')];
    const hang = `[ -e ${flag} ] && case "$*" in *delete*) echo $$ > ${pidFile}; exec sleep 1000;; esac`;
    const oci: OciRuntime = machine.create({ runtime: script('hanging-crun', `${hang}\nexec ${machine.options.runtime} "$@"`) });
    await oci.start();
    const { runSandbox, start, statusOf, exited } = createTestPods(
      () => machine,
      () => oci,
    );
    const sandbox = await runSandbox();
    const first = await start(sandbox, 'sleep 1000');
    writeFileSync(flag, '');
    process.kill(Number(readFileSync(join(machine.folder, 'state/containers', first, 'pidfile'), 'utf8')), 'SIGKILL');
    await expect.poll(() => existsSync(pidFile)).toBe(true);
    const second = await start(sandbox, 'sleep 1000', { metadata: { name: 'second', attempt: 0 } });
    expect((await statusOf(first))?.state).toBe('CONTAINER_RUNNING');
    expect((await statusOf(second))?.state).toBe('CONTAINER_RUNNING');
    rmSync(flag);
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    expect(await exited(first)).toMatchObject({ exitCode: 137 });
    await oci.runtime.removePodSandbox({ podSandboxId: sandbox });
    await oci.stop();
  });
});
