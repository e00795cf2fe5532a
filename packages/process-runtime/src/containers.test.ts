import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger, systemClock } from '@nodeagent/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Harness, isRunning, poll, startHarness } from './test-harness.js';

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(() => harness.clean());

const sh = (script: string) => ['/bin/sh', '-c', script];
const env = (vars: Record<string, string>) => Object.entries(vars).map(([key, value]) => ({ key, value: Buffer.from(value) }));

describe('a container that exits', () => {
  it.each([
    ['exit 0', 0, 'Completed'],
    ['exit 3', 3, 'Error'],
    ['kill -TERM $$', 143, 'Error'],
    ['kill -KILL $$', 137, 'Error'],
    ['kill -SEGV $$', 139, 'Error'],
  ])('%s: exit code %i, reason %s', async (script, exitCode, reason) => {
    const status = await harness.exit(await harness.run(sh(script)));
    expect(status).toMatchObject({ state: 'CONTAINER_EXITED', exitCode, reason, message: '' });
    expect(status.createdAt).toBeLessThan(status.startedAt);
    expect(status.startedAt).toBeLessThan(status.finishedAt);
  });

  it('kills its background processes, also those that ignore signals', async () => {
    const id = await harness.run(
      sh(`trap '' TERM HUP; (trap '' TERM HUP; sleep 1000 >/dev/null 2>&1) & echo $!; set -m; sleep 1000 & echo $!`),
    );
    await harness.exit(id);
    for (const line of await harness.log(id)) expect(isRunning(Number(line.slice('stdout F '.length)))).toBe(false);
  });

  it('kills a process in another session that still holds its output', async () => {
    const id = await harness.run(
      sh('setsid sh -c "echo \\$\\$; exec sleep 1000" & read -r wait < /dev/null; until [ -s "$LOG" ]; do :; done'),
      {
        envs: env({ LOG: join(harness.folder, 'logs/own/0.log') }),
        logPath: 'own/0.log',
      },
    );
    await harness.exit(id);
    const [line = ''] = await harness.log(id);
    // The process closes the output shortly before it exits.
    await poll(systemClock, () => !isRunning(Number(line.slice('stdout F '.length))) || undefined);
  });
});

describe('the process of a container', () => {
  it('gets exactly its environment with PATH, its working directory and its arguments, without a shell', async () => {
    process.env.SECRET_OF_THE_AGENT = 'x';
    const id = await harness.run(['env'], {
      args: ['sh', '-c', 'pwd; env | sort', '$HOME'],
      envs: env({ A: 'ä b', B: '' }),
      workingDir: '/tmp',
    });
    await harness.exit(id);
    expect(await harness.log(id)).toEqual([
      'stdout F /tmp',
      'stdout F A=ä b',
      'stdout F B=',
      'stdout F PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'stdout F PWD=/tmp',
    ]);
    delete process.env.SECRET_OF_THE_AGENT;
  });

  it('is searched in the PATH of its environment', async () => {
    const id = await harness.create(['sleep', '0'], { envs: env({ PATH: '/nowhere' }) });
    await expect(harness.runtime.startContainer({ containerId: id })).rejects.toMatchObject({
      code: 'CRI_UNKNOWN',
      message: 'exec: "sleep": executable file not found in $PATH',
    });
  });

  it('reads /dev/null, or with `stdin` a standard input that stays open', async () => {
    expect(await harness.exit(await harness.run(['cat']))).toMatchObject({ exitCode: 0 });
    const waiting = await harness.run(['cat'], { stdin: true });
    await harness.runtime.stopContainer({ containerId: waiting, timeout: 5n });
    expect(await harness.status(waiting)).toMatchObject({ exitCode: 143 });
  });
});

it('warns about a volume that the container does not see', async () => {
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (message: unknown) => void warnings.push(message) };
  const warned = await startHarness({ logger });
  await warned.create(['true'], {
    annotations: { 'io.kubernetes.container.terminationMessagePath': '/dev/termination-log' },
    mounts: [
      { containerPath: '/etc/hosts', hostPath: '/pods/u/etc-hosts' },
      { containerPath: '/dev/termination-log', hostPath: '/pods/u/containers/c/1' },
      { containerPath: '/srv', hostPath: '/srv' },
      { containerPath: '/config', hostPath: '/pods/u/volumes/kubernetes.io~configmap/config' },
    ],
  });
  await warned.clean();
  expect(warnings).toEqual([
    'container "c0" does not see its volume at /config: the embedded runtime mounts nothing; ' +
      'it is at /pods/u/volumes/kubernetes.io~configmap/config',
  ]);
});

it('warns once for a pod about limits that it cannot enforce', async () => {
  const warnings: unknown[] = [];
  const warned = await startHarness({ logger: { ...silentLogger, warn: (message: unknown) => void warnings.push(message) } });
  const limited = { linux: { resources: { cpuQuota: 50_000n, memoryLimitInBytes: 1n << 20n } } };
  await warned.create(['true'], { linux: { resources: { cpuQuota: -1n, cpuShares: 100n } } });
  expect(warnings).toEqual([]);
  await warned.create(['true'], limited);
  await warned.create(['true'], limited);
  await warned.create(['true'], { metadata: { name: 'again', attempt: 1 }, ...limited });
  const { podSandboxId } = await warned.runtime.runPodSandbox({
    config: { metadata: { name: 'p', namespace: 'ns', uid: 'u', attempt: 1 } },
  });
  await warned.runtime.createContainer({
    podSandboxId,
    config: { metadata: { name: 'c', attempt: 0 }, image: { image: 'host' }, command: ['true'], ...limited },
  });
  await warned.clean();
  expect(warnings).toEqual([
    'pod "ns/p": the embedded runtime does not enforce limits (cpu, memory): its containers are plain processes; a CRI runtime enforces them',
  ]);
});

describe('a container that cannot start', () => {
  it.each([
    ['an unknown command', ['no-such-command'], {}, 'exec: "no-such-command": executable file not found in $PATH'],
    ['an unknown path', ['/no/such/command'], {}, 'exec: "/no/such/command": stat /no/such/command: no such file or directory'],
    ['a file that is not a program', ['/etc/passwd'], {}, 'exec: "/etc/passwd": permission denied'],
    ['a missing folder', ['true'], { workingDir: '/no/such' }, 'chdir to working directory "/no/such" failed: no such file or directory'],
    ['a folder that is none', ['true'], { workingDir: '/etc/passwd' }, 'chdir to working directory "/etc/passwd" failed: not a directory'],
  ])('%s', async (_what, command, config, message) => {
    const id = await harness.create(command, config);
    await expect(harness.runtime.startContainer({ containerId: id })).rejects.toMatchObject({ code: 'CRI_UNKNOWN', message });
    const status = await harness.exit(id);
    expect(status).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 128, reason: 'StartError', message, startedAt: 0n });
    expect(status.finishedAt).toBeGreaterThan(status.createdAt);
    await expect(harness.runtime.startContainer({ containerId: id })).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
  });

  it('fails if its log file cannot be created', async () => {
    const id = await harness.create(['true'], { logPath: 'x' });
    const blocked = await harness.create(['true'], { logPath: 'x/y' });
    await harness.runtime.startContainer({ containerId: id });
    await harness.exit(id);
    await expect(harness.runtime.startContainer({ containerId: blocked })).rejects.toThrow(/^opening the container log ".*\/x\/y"/);
  });
});

describe('stopping', () => {
  it('sends the stop signal to the whole process tree', async () => {
    const id = await harness.run(sh(`trap 'echo bye; exit 7' TERM; while :; do sh -c 'echo up; exec sleep 1000'; done`));
    await harness.logged(id, 1);
    await harness.runtime.stopContainer({ containerId: id, timeout: 30n });
    expect(await harness.status(id)).toMatchObject({ exitCode: 7, reason: 'Error' });
    // The shell's child got the signal too, which some shells remark on.
    expect((await harness.log(id)).filter((line) => !line.startsWith('stderr'))).toEqual(['stdout F up', 'stdout F bye']);
  });

  it('sends the stop signal of the container', async () => {
    const id = await harness.run(sh(`trap 'exit 4' USR1; trap '' TERM; while :; do sh -c 'echo up; exec sleep 1000'; done`), {
      stopSignal: 'SIGUSR1',
    });
    await harness.logged(id, 1);
    expect((await harness.status(id)).stopSignal).toBe('SIGUSR1');
    await harness.runtime.stopContainer({ containerId: id, timeout: 30n });
    expect(await harness.status(id)).toMatchObject({ exitCode: 4 });
  });

  it('kills the whole process tree after the timeout, also processes in other sessions', async () => {
    const id = await harness.run(
      sh(
        `trap '' TERM; setsid sh -c 'trap "" TERM; echo $$ >&2; exec sleep 1000 >/dev/null 2>&1' & echo $$; sleep 1000 & echo $!; while :; do wait; done`,
      ),
    );
    const pids = (await harness.logged(id, 3)).map((line) => Number(line.slice('stdout F '.length)));
    expect(pids.map(isRunning)).toEqual([true, true, true]);
    const stopped = harness.runtime.stopContainer({ containerId: id, timeout: 1n });
    await stopped;
    expect(await harness.status(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 137, reason: 'Error' });
    expect(pids.map(isRunning)).toEqual([false, false, false]);
  });

  it('kills at once without a timeout, also while another stop waits', async () => {
    const id = await harness.run(sh(`trap '' TERM; echo up; while :; do sleep 1000; done`));
    await harness.logged(id, 1);
    const slow = harness.runtime.stopContainer({ containerId: id, timeout: 1_000_000_000n });
    await harness.runtime.stopContainer({ containerId: id });
    await slow;
    expect(await harness.status(id)).toMatchObject({ exitCode: 137 });
  });

  it('sends the stop signal once, also when the agent repeats the call', async () => {
    const id = await harness.run(sh(`trap 'echo asked' TERM; echo up; while :; do sleep 0.02; done`));
    await harness.logged(id, 1);
    const first = harness.runtime.stopContainer({ containerId: id, timeout: 100n });
    await poll(systemClock, async () => (await harness.log(id)).includes('stdout F asked') || undefined);
    await expect(harness.runtime.stopContainer({ containerId: id, timeout: 100n }, { timeoutMs: 200 })).rejects.toThrow();
    await harness.runtime.stopContainer({ containerId: id });
    await first;
    expect((await harness.log(id)).filter((line) => !line.startsWith('stderr'))).toEqual(['stdout F up', 'stdout F asked']);
  });

  it('ends only the wait when the caller aborts', async () => {
    const id = await harness.run(sh(`trap '' TERM; echo up; while :; do sleep 1000; done`));
    await harness.logged(id, 1);
    const caller = new AbortController();
    const stopped = harness.runtime.stopContainer({ containerId: id, timeout: 100n }, { signal: caller.signal });
    caller.abort(new Error('gave up'));
    await expect(stopped).rejects.toThrow('gave up');
    await expect(harness.runtime.stopContainer({ containerId: id, timeout: 100n }, { timeoutMs: 10 })).rejects.toMatchObject({
      code: 'CRI_DEADLINE_EXCEEDED',
      retryable: true,
    });
    expect((await harness.status(id)).state).toBe('CONTAINER_RUNNING');
  });

  it('ignores a container that is unknown or does not run', async () => {
    const created = await harness.create(['true']);
    await harness.runtime.stopContainer({ containerId: created, timeout: 1n });
    expect((await harness.status(created)).state).toBe('CONTAINER_CREATED');
    await harness.runtime.stopContainer({ containerId: 'unknown' });
    await harness.runtime.removeContainer({ containerId: 'unknown' });
  });

  it('waits for a pending start', async () => {
    const id = await harness.create(['sleep', '1000']);
    const started = harness.runtime.startContainer({ containerId: id });
    await harness.runtime.removeContainer({ containerId: id });
    await started;
    expect((await harness.runtime.listContainers({})).containers).toEqual([]);
    expect(listFiles('containers')).toEqual([]);
  });
});

const listFiles = (kind: string) => readdirSync(join(harness.folder, 'state', kind));

describe('many containers', () => {
  it('run concurrently, each with its exit code and output', async () => {
    const ids = await Promise.all(Array.from({ length: 200 }, (_, n) => harness.run(sh(`echo ${n}; exit ${n % 100}`))));
    const codes = await Promise.all(ids.map(async (id) => (await harness.exit(id)).exitCode));
    expect(codes).toEqual(ids.map((_, n) => n % 100));
    expect((await Promise.all(ids.map(harness.log))).flat()).toEqual(ids.map((_, n) => `stdout F ${n}`));
    await Promise.all(ids.map((containerId) => harness.runtime.removeContainer({ containerId })));
    expect(listFiles('containers')).toEqual([]);
    expect(listFiles('pipes')).toEqual([]);
  });

  it('created in the same millisecond have different creation times', async () => {
    const runtime = await startHarness({ clock: { ...systemClock, now: () => 1_700_000_000_000 } });
    const ids = await Promise.all(Array.from({ length: 5 }, () => runtime.create(['true'])));
    const times = await Promise.all(ids.map(async (id) => (await runtime.status(id)).createdAt));
    expect(new Set(times).size).toBe(5);
    expect(times).toEqual([...times].sort());
    await runtime.clean();
  });
});

describe('exec', () => {
  it('runs in the environment and working directory of the container', async () => {
    const id = await harness.run(['sleep', '1000'], { envs: env({ A: 'b' }), workingDir: '/tmp' });
    expect(await harness.exec(id, sh('pwd; echo $A; echo oops > /dev/stderr; exit 5'))).toEqual({
      stdout: '/tmp\nb\n',
      stderr: 'oops\n',
      exitCode: 5,
    });
  });

  it('is killed with its child processes at the timeout', async () => {
    const id = await harness.run(['sleep', '1000']);
    const file = join(harness.folder, 'pid');
    await expect(harness.exec(id, sh(`sleep 1000 & echo $! > ${file}; wait`), 1n)).rejects.toMatchObject({
      code: 'CRI_DEADLINE_EXCEEDED',
      message: 'failed to exec in container: timeout 1s exceeded',
    });
    const pid = Number(readFileSync(file, 'utf8'));
    await poll(systemClock, () => !isRunning(pid) || undefined);
  });

  it('is killed when its caller aborts', async () => {
    const id = await harness.run(['sleep', '1000']);
    const caller = new AbortController();
    const result = harness.runtime.execSync({ containerId: id, cmd: sh('sleep 1000') }, { signal: caller.signal });
    caller.abort(new Error('gave up'));
    await expect(result).rejects.toThrow('gave up');
  });

  it('returns 16 MiB of its output and discards the rest', async () => {
    const id = await harness.run(['sleep', '1000']);
    const { stdout, exitCode } = await harness.runtime.execSync({ containerId: id, cmd: ['head', '-c', '20000000', '/dev/zero'] });
    expect([stdout.length, exitCode]).toEqual([16 * 1024 * 1024, 0]);
  });

  it('leaves its background processes running until the container exits', async () => {
    const id = await harness.run(['sleep', '1000']);
    const { stdout } = await harness.exec(id, sh('sleep 1000 >/dev/null 2>&1 & echo $!'));
    const { stdout: held } = await harness.exec(id, sh('sleep 1000 & echo $!'));
    expect([Number(stdout), Number(held)].map(isRunning)).toEqual([true, true]);
    await harness.runtime.stopContainer({ containerId: id });
    expect([Number(stdout), Number(held)].map(isRunning)).toEqual([false, false]);
  });

  it('is killed when the container exits', async () => {
    const id = await harness.run(['sleep', '1000']);
    const file = join(harness.folder, 'up');
    const result = harness.exec(id, sh(`: > ${file}; sleep 1000`));
    await poll(systemClock, () => (readFileOrNothing(file) !== undefined ? true : undefined));
    await harness.runtime.stopContainer({ containerId: id });
    expect(await result).toMatchObject({ exitCode: 137 });
  });

  it('fails for a missing program, and in a container that does not run', async () => {
    const id = await harness.run(['sleep', '1000']);
    await expect(harness.exec(id, ['no-such-command'])).rejects.toMatchObject({
      code: 'CRI_UNKNOWN',
      message: 'failed to exec in container: exec: "no-such-command": executable file not found in $PATH',
    });
    await expect(harness.exec(id, [])).rejects.toMatchObject({ code: 'CRI_INVALID_ARGUMENT' });
    await harness.runtime.stopContainer({ containerId: id });
    await expect(harness.exec(id, ['true'])).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
    await expect(harness.exec('unknown', ['true'])).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
  });
});

function readFileOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
