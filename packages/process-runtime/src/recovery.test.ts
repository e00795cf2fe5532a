import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parseStat } from './processes.js';
import { decodeRecord, encodeRecord } from './record-json.js';
import { type Harness, isRunning, poll, startHarness } from './test-harness.js';

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(() => harness.clean());

const sh = (script: string) => ['/bin/sh', '-c', script];
const recordPath = (id: string) => join(harness.folder, 'state/containers', `${id}.json`);
const readRecord = (id: string) => decodeRecord(readFileSync(recordPath(id), 'utf8')) as Record<string, unknown>;
const pidOf = (id: string) => (readRecord(id).process as { pid: number }).pid;

/** The next run's view of a container. */
async function afterRestart(id: string, options = {}) {
  await harness.stop();
  const next = harness.again(options);
  await next.start();
  try {
    return {
      status: (await next.runtime.containerStatus({ containerId: id })).status,
      sandbox: (await next.runtime.podSandboxStatus({ podSandboxId: harness.sandbox })).status,
    };
  } finally {
    await next.stop();
  }
}

describe('a start after a run that left containers running', () => {
  it('kills them, also processes that ignore the signal or left the session, and reports them as exited', async () => {
    const id = await harness.run(
      sh(`trap '' TERM PIPE; setsid sh -c 'trap "" TERM; exec sleep 1000' & sleep 1000 >/dev/null 2>&1 & echo $!; while :; do wait; done`),
    );
    const [line = ''] = await harness.logged(id, 1);
    const pids = [pidOf(id), Number(line.slice('stdout F '.length))];
    const before = await harness.status(id);
    const { status, sandbox } = await afterRestart(id);
    expect(status).toMatchObject({
      state: 'CONTAINER_EXITED',
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'the runtime exited while the container ran, and killed the container at its next start',
      startedAt: before.startedAt,
      labels: before.labels,
      logPath: before.logPath,
    });
    expect(status?.finishedAt).toBeGreaterThan(before.startedAt);
    expect(sandbox?.state).toBe('SANDBOX_READY');
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(readRecord(id)).not.toHaveProperty('process');
  });

  it('reports a container that exited in between', async () => {
    const id = await harness.run(['sleep', '1000']);
    const pid = pidOf(id);
    await harness.stop();
    process.kill(pid, 'SIGKILL');
    await poll(systemClock, () => !isRunning(pid) || undefined);
    expect((await afterRestart(id)).status).toMatchObject({
      state: 'CONTAINER_EXITED',
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'the runtime exited while the container ran; the exit status of the container is unknown',
    });
  });

  it('keeps exited and created containers', async () => {
    const exited = await harness.run(sh('exit 3'));
    const before = await harness.exit(exited);
    const created = await harness.create(['true'], { envs: [{ key: 'A', value: Buffer.from([0xc3, 0xa4]) }] });
    expect((await afterRestart(exited)).status).toEqual(before);
    const next = harness.again();
    await next.start();
    await next.runtime.startContainer({ containerId: created });
    await next.runtime.removePodSandbox({ podSandboxId: harness.sandbox });
    await next.stop();
    expect(readdirSync(join(harness.folder, 'state/containers'))).toEqual([]);
  });

  it('does not kill a process that reuses the pid of an exited one', async () => {
    const id = await harness.run(['sleep', '1000']);
    const unrelated = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    const pid = unrelated.pid ?? 0;
    const own = pidOf(id);
    await harness.stop();
    process.kill(own, 'SIGKILL');
    const startTime = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.startTime ?? 0;
    writeFileSync(recordPath(id), encodeRecord({ ...readRecord(id), process: { pid, startTime: startTime - 1 } }));
    expect((await afterRestart(id)).status?.message).toMatch(/is unknown$/);
    expect(isRunning(pid)).toBe(true);

    writeFileSync(
      recordPath(id),
      encodeRecord({ ...readRecord(id), state: 'CONTAINER_RUNNING', bootId: 'another boot', process: { pid, startTime } }),
    );
    expect((await afterRestart(id)).status?.message).toMatch(/is unknown$/);
    expect(isRunning(pid)).toBe(true);

    writeFileSync(
      recordPath(id),
      encodeRecord({ ...readRecord(id), state: 'CONTAINER_RUNNING', process: { pid, startTime }, bootId: bootId() }),
    );
    const ended = once(unrelated, 'exit');
    expect((await afterRestart(id)).status?.message).toMatch(/killed the container at its next start$/);
    await ended;
  });

  it('finds a process with an unrecorded start by its pipes', async () => {
    const id = await harness.run(['sleep', '1000']);
    const pid = pidOf(id);
    await harness.stop();
    const { process: _lost, ...record } = readRecord(id);
    writeFileSync(recordPath(id), encodeRecord({ ...record, state: 'CONTAINER_CREATED', starting: true, startedAt: 0n }));
    expect((await afterRestart(id)).status).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 137 });
    expect(isRunning(pid)).toBe(false);
  });

  it.each([
    ['is cut off', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 100))],
    [
      'lacks its configuration',
      (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace(/"config":/, '"config":null,"was":')),
    ],
    ['is lost', (path: string) => rmSync(path)],
    [
      'reports it as exited',
      (path: string) => writeFileSync(path, readFileSync(path, 'utf8').replace('CONTAINER_RUNNING', 'CONTAINER_EXITED')),
    ],
  ])('kills a container whose record %s, with its child processes', async (_what, damage) => {
    const id = await harness.run(sh('sleep 1000 >/dev/null 2>&1 & echo $!; wait'));
    const [line = ''] = await harness.logged(id, 1);
    const pids = [pidOf(id), Number(line.slice('stdout F '.length))];
    await harness.stop();
    damage(recordPath(id));
    const next = harness.again();
    await next.start();
    expect(pids.map(isRunning)).toEqual([false, false]);
    const { containers } = await next.runtime.listContainers({});
    expect(containers.filter(({ state }) => state === 'CONTAINER_RUNNING')).toEqual([]);
    await next.stop();
  });

  it('keeps the containers of another state folder running', async () => {
    const other = await startHarness();
    onTestFinished(() => other.clean());
    const id = await other.run(['sleep', '1000']);
    await harness.stop();
    await harness.start();
    expect((await other.status(id)).state).toBe('CONTAINER_RUNNING');
  });

  it('reports sandboxes of another boot as not ready', async () => {
    const path = join(harness.folder, 'state/sandboxes', `${harness.sandbox}.json`);
    const id = await harness.create(['true']);
    await harness.stop();
    writeFileSync(path, encodeRecord({ ...(decodeRecord(readFileSync(path, 'utf8')) as object), bootId: 'another' }));
    expect((await afterRestart(id)).sandbox).toMatchObject({ state: 'SANDBOX_NOTREADY' });
  });

  it('renames unreadable records and continues', async () => {
    const id = await harness.create(['true']);
    await harness.stop();
    const folder = join(harness.folder, 'state/containers');
    writeFileSync(join(folder, 'half.json'), '{"id": "ha');
    writeFileSync(join(folder, 'other.json'), '{"id": "another"}');
    writeFileSync(join(folder, 'left.json.tmp'), '{}');
    expect((await afterRestart(id)).status?.state).toBe('CONTAINER_CREATED');
    expect(readdirSync(folder).sort()).toEqual([`${id}.json`, 'half.json.unreadable', 'other.json.unreadable'].sort());
  });

  it('gives later creation times than the previous run, even if the clock stepped back', async () => {
    const id = await harness.create(['true']);
    const before = (await harness.status(id)).createdAt;
    await harness.stop();
    const next = harness.again({ clock: { ...systemClock, now: () => 1000 } });
    await next.start();
    const config = { metadata: { name: 'later', attempt: 0 }, image: { image: 'host' }, command: ['true'] };
    const { containerId } = await next.runtime.createContainer({ podSandboxId: harness.sandbox, config });
    expect((await next.runtime.containerStatus({ containerId })).status?.createdAt).toBe(before + 1n);
    await next.stop();
  });
});

describe('the state folder', () => {
  it('is readable by its owner only', async () => {
    const id = await harness.create(['true']);
    const mode = (path: string) => statSync(join(harness.folder, 'state', path)).mode & 0o777;
    expect([mode('.'), mode('containers'), mode('sandboxes'), mode('pipes'), mode(`containers/${id}.json`)]).toEqual([
      0o700, 0o700, 0o700, 0o700, 0o600,
    ]);
  });

  it('is used by one run at a time', async () => {
    const second = harness.again();
    await expect(second.start()).rejects.toMatchObject({
      code: 'RuntimeRootLocked',
      message: `${join(harness.folder, 'state')} is in use by process ${process.pid}: two runtimes cannot share a state folder`,
    });
    await harness.start();
    await harness.stop();
    await harness.stop();
    await second.start();
    await second.stop();
  });

  it.each([
    ['of a process that has exited', JSON.stringify({ pid: 2 ** 22 + 1, startTime: 1 })],
    ['of a pid that another process reuses', JSON.stringify({ pid: process.pid, startTime: 1 })],
    ['that is unreadable', '{'],
  ])('is adopted if it has a lock %s', async (_what, text) => {
    await harness.stop();
    writeFileSync(join(harness.folder, 'state/lock'), text);
    const [first, second] = [harness.again(), harness.again()];
    const started = await Promise.allSettled([first.start(), second.start()]);
    expect(started.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await first.stop();
    await second.stop();
    expect(readdirSync(join(harness.folder, 'state')).sort()).toEqual(['containers', 'pipes', 'sandboxes']);
  });

  it('is adopted from a zombie process', async () => {
    await harness.stop();
    const parent = spawn('/bin/sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const pid = Number(String((await once(parent.stdout, 'data'))[0]));
    const zombie = await poll(systemClock, () => {
      const found = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      return found?.zombie ? found : undefined;
    });
    writeFileSync(join(harness.folder, 'state/lock'), JSON.stringify({ pid, startTime: zombie.startTime }));
    await harness.start();
    const exit = once(parent, 'exit');
    parent.kill('SIGKILL');
    await exit;
  });

  it('that is unusable makes the start fail, and is left without a lock', async () => {
    await harness.stop();
    mkdirSync(join(harness.folder, 'blocked'));
    writeFileSync(join(harness.folder, 'blocked/containers'), '');
    const blocked = harness.again({ root: join(harness.folder, 'blocked') });
    await expect(blocked.start()).rejects.toThrow(/EEXIST/);
    expect(readdirSync(join(harness.folder, 'blocked')).filter((name) => name.startsWith('lock'))).toEqual([]);
  });
});

const bootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
