import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { cniErrorCodes } from '../errors.js';
import { createPluginRunner } from './plugin-runner.js';

const folder = mkdtempSync(join(tmpdir(), 'cni-plugins-'));
const [first, second] = [join(folder, 'first'), join(folder, 'second')];
for (const each of [first, second]) mkdirSync(each);
afterAll(() => rmSync(folder, { recursive: true }));

function plugin(name: string, script: string, { mode = 0o755, dir = second, shebang = '#!/bin/sh\n' } = {}): void {
  writeFileSync(join(dir, name), `${shebang}${script}\n`, { mode });
}

const { signal } = new AbortController();
const runner = createPluginRunner({ pluginDirs: [first, second] });
const run = (name: string, ofCall: AbortSignal = signal) =>
  runner.run({ plugin: name, env: { CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'c1' }, stdin: '{"name":"net"}' }, ofCall);

const isRunning = (pid: number) => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

describe('createPluginRunner', () => {
  it('gives the program its input and environment, without the variables of an outer call', async () => {
    vi.stubEnv('CNI_IFNAME', 'outer').stubEnv('HOME', '/home');
    plugin('echo', 'cat; echo " $CNI_COMMAND $CNI_CONTAINERID $CNI_PATH $CNI_IFNAME $HOME"; echo log >&2; exit 3');
    const result = await run('echo');
    vi.unstubAllEnvs();
    expect(result).toEqual({ exitCode: 3, stdout: `{"name":"net"} ADD c1 ${first}:${second}  /home\n`, stderr: 'log' });
  });

  it('takes the first executable program of that name', async () => {
    plugin('same', 'echo first', { dir: first, mode: 0o644 });
    plugin('same', 'echo second');
    expect((await run('same')).stdout).toBe('second\n');
  });

  it.each([
    ['missing', () => {}, 'failed to find plugin "missing" in path'],
    ['a-folder', () => void mkdirSync(join(second, 'a-folder')), 'failed to find plugin "a-folder" in path'],
    ['plain', () => plugin('plain', '', { mode: 0o644 }), 'plain is not executable'],
    ['lost', () => plugin('lost', '', { shebang: '#!/no/such/interpreter\n' }), 'lost cannot be run'],
  ])('refuses a program that cannot be run: %s', async (name, make, message) => {
    make();
    await expect(run(name)).rejects.toMatchObject({ code: cniErrorCodes.pluginNotFound, message: expect.stringContaining(message) });
  });

  it('reports the signal that ended a program', async () => {
    plugin('dies', 'kill -SEGV $$');
    expect(await run('dies')).toEqual({ signal: 'SIGSEGV', stdout: '', stderr: '' });
  });

  it('accepts a program that does not read its input', async () => {
    plugin('deaf', 'exec 0<&-; exit 0');
    const call = { plugin: 'deaf', env: { CNI_COMMAND: 'ADD' as const }, stdin: 'x'.repeat(1 << 20) };
    expect(await runner.run(call, signal)).toMatchObject({ exitCode: 0 });
  });

  it('kills a program that writes too much, and keeps the end of a long log', async () => {
    plugin('endless', 'exec yes');
    const { stdout, isTooLong, signal: ended } = await run('endless');
    expect([isTooLong, ended, stdout.length <= 1 << 20]).toEqual([true, 'SIGKILL', true]);
    plugin('chatty', 'head -c 3000000 /dev/zero | tr "\\0" x >&2; echo end >&2');
    const { stderr } = await run('chatty');
    expect([stderr.length, stderr.endsWith('xend')]).toEqual([4095, true]);
  });

  it('kills a program that hangs, with its child processes', async () => {
    const pids = join(folder, 'pids');
    plugin('hangs', `sleep 1000 & echo $! $$ > ${pids}.tmp; mv ${pids}.tmp ${pids}; wait`);
    const controller = new AbortController();
    const hanging = run('hangs', controller.signal);
    hanging.catch(() => {});
    await vi.waitUntil(() => existsSync(pids), { timeout: 20_000 });
    const started = readFileSync(pids, 'utf8').trim().split(' ').map(Number);
    expect(started.map(isRunning)).toEqual([true, true]);
    controller.abort(new Error('too late'));
    await expect(hanging).rejects.toThrow('too late');
    await vi.waitUntil(() => !started.some(isRunning), { timeout: 20_000 });
  });

  it('does not wait for a daemon that a program leaves', async () => {
    const pid = join(folder, 'daemon');
    plugin('starts-daemon', `setsid sleep 1000 & echo $! > ${pid}; echo done`);
    expect(await run('starts-daemon')).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    const daemon = Number(readFileSync(pid, 'utf8'));
    expect(isRunning(daemon)).toBe(true);
    process.kill(daemon, 'SIGKILL');
  });

  it('waits for the programs that a killed process started', async () => {
    const [started, release, ended] = ['started', 'release', 'ended'].map((name) => join(folder, name)) as [string, string, string];
    plugin('slow', `touch ${started}; while [ ! -e ${release} ]; do sleep 0.05; done; touch ${ended}`);
    const running = run('slow');
    await vi.waitUntil(() => existsSync(started), { timeout: 20_000 });
    await runner.endOrphans(new Set(['other']));
    expect(existsSync(ended)).toBe(false);
    writeFileSync(release, '');
    await runner.endOrphans(new Set(['c1']));
    expect(existsSync(ended)).toBe(true);
    await running;
  });
});
