import { existsSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Logger, silentLogger } from '@nodeagent/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Harness, startHarness } from './test-harness.js';

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(() => harness.clean());

const sh = (script: string) => ['/bin/sh', '-c', script];

it('separates standard output and standard error, also when opened by name', async () => {
  const id = await harness.run(sh('echo a; echo b >&2; echo c >/dev/stdout; echo d >/dev/stderr; printf e'));
  await harness.exit(id);
  const lines = await harness.log(id);
  expect(lines.filter((line) => line.startsWith('stdout'))).toEqual(['stdout F a', 'stdout F c', 'stdout P e']);
  expect(lines.filter((line) => line.startsWith('stderr'))).toEqual(['stderr F b', 'stderr F d']);
});

it('merges both streams with `tty`', async () => {
  const id = await harness.run(sh('echo a; echo b >&2'), { tty: true });
  await harness.exit(id);
  expect((await harness.log(id)).sort()).toEqual(['stdout F a', 'stdout F b']);
});

it('writes lines over 16 KiB in parts', async () => {
  const id = await harness.run(sh(`head -c 40000 /dev/zero | tr '\\0' x; echo`));
  await harness.exit(id);
  expect((await harness.log(id)).map((line) => `${line.slice(0, 8)} ${line.length - 9}`)).toEqual([
    'stdout P 16384',
    'stdout P 16384',
    'stdout F 7232',
  ]);
});

it('keeps every byte of binary and huge output', async () => {
  const id = await harness.run(sh('head -c 30000000 /dev/zero; exit 9'));
  expect(await harness.exit(id)).toMatchObject({ exitCode: 9 });
  const file = readFileSync((await harness.status(id)).logPath, 'latin1');
  const zeros = file
    .split('\n')
    .reduce((sum, line) => sum + line.length - Math.min(line.length, '2026-01-01T00:00:00.000000000Z stdout P '.length), 0);
  expect(zeros).toBe(30_000_000);
});

it('is complete before the container is reported as exited', async () => {
  const id = await harness.run(sh('seq 20000'));
  await harness.exit(id);
  expect(await harness.log(id)).toHaveLength(20_000);
});

it('continues in a new file after a rotation', async () => {
  const id = await harness.run(sh(`trap 'echo two; exit' USR1; echo one; while :; do sleep 1000; done`), { stopSignal: 'SIGUSR1' });
  await harness.logged(id, 1);
  const path = (await harness.status(id)).logPath;
  renameSync(path, `${path}.1`);
  await harness.runtime.reopenContainerLog({ containerId: id });
  await harness.runtime.stopContainer({ containerId: id, timeout: 10n });
  expect(readFileSync(`${path}.1`, 'utf8')).toMatch(/ one\n$/);
  expect(await harness.log(id)).toContain('stdout F two');
  await expect(harness.runtime.reopenContainerLog({ containerId: id })).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
});

it('is at the path of the CRI config with mode 0640, and is not written without a path', async () => {
  const id = await harness.run(['echo', 'x']);
  await harness.exit(id);
  const { logPath } = await harness.status(id);
  expect(logPath).toBe(join(harness.folder, 'logs/c0/0.log'));
  expect(statSync(logPath).mode & 0o777).toBe(0o640);
  const silent = await harness.run(['echo', 'x'], { logPath: '' });
  expect(await harness.exit(silent)).toMatchObject({ exitCode: 0, logPath: '' });
});

it.each(['../x.log', 'a/../../x.log', '/x.log', 'x\0'])("rejects a log path outside the pod's log directory: %j", async (logPath) => {
  await expect(harness.create(['true'], { logPath })).rejects.toMatchObject({ code: 'CRI_INVALID_ARGUMENT' });
  expect(existsSync(join(harness.folder, 'x.log'))).toBe(false);
});

it('does not block the container if it cannot be written, and logs one warning', async () => {
  const warnings: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (_fields: object | string, text?: string) => void warnings.push(text ?? ''),
    child: () => logger,
  };
  const full = await startHarness({ logger });
  mkdirSync(join(full.folder, 'logs/full'), { recursive: true });
  symlinkSync('/dev/full', join(full.folder, 'logs/full/0.log'));
  const id = await full.run(sh('head -c 1000000 /dev/zero; exit 3'), { logPath: 'full/0.log' });
  expect(await full.exit(id)).toMatchObject({ exitCode: 3 });
  expect(warnings).toEqual(['cannot write the container log']);
  await full.clean();
});
