import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockHolderText } from '../helpers/lock-holder.js';
import { lockExclusively, lockOnMachine } from './exclusive-lock.js';

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeagent-lock-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const isRoot = process.getuid?.() === 0;
const otherNamespaces = ['unshare', '--pid', '--net', '--mount', '--ipc', '--fork', '--kill-child', '--mount-proc'];
const canUnshare = isRoot && spawnSync('unshare', [...otherNamespaces.slice(1), 'true']).status === 0;
const lock = (name = 'lock') => lockExclusively(folder, name, (holder) => new Error(`held by ${lockHolderText(holder)}`));

/** Another process that takes the lock; resolves with what it reports, `held` or its error. */
async function lockElsewhere(prefix: readonly string[] = []): Promise<{ report: string; child: ChildProcess; end(): Promise<void> }> {
  const sources = ['./exclusive-lock.ts', '../helpers/lock-holder.ts'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const imports = sources.map((source) => `import(${JSON.stringify(source)})`);
  const script = `Promise.all([${imports}]).then(([{ lockExclusively }, { lockHolderText }]) =>
    lockExclusively(${JSON.stringify(folder)}, 'lock', (holder) => new Error('held by ' + lockHolderText(holder))))
    .then(() => { console.log('held'); setInterval(() => {}, 1000); }, (error) => console.log(error.message));`;
  const [program = process.execPath, ...args] = [...prefix, process.execPath, '--import', 'tsx', '--eval', script];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [report] = await once(createInterface(child.stdout), 'line');
  const end = async () => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  return { report: String(report), child, end };
}

it('is exclusive until it is released, and leaves no files', async () => {
  const release = await lock();
  await expect(lock()).rejects.toThrow(`held by process ${process.pid}`);
  expect(readdirSync(folder)).toEqual(['lock']);
  const other = await lock('other');
  other();
  release();
  expect(readdirSync(folder)).toEqual([]);
  (await lock())();
});

it('is granted to one of many concurrent callers, also over the files that killed processes left', async () => {
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: 1, startTime: 1 }));
  writeFileSync(join(folder, 'lock.1-0123456789abcdef'), '');
  writeFileSync(join(folder, 'lock.txt'), '');
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => lock()));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(['lock', 'lock.txt']);
});

it('is granted to one of several processes at a time, and to the next one when the kernel has ended it', async () => {
  const contenders = await Promise.all([lockElsewhere(), lockElsewhere(), lockElsewhere()]);
  const [holder, ...more] = contenders.filter(({ report }) => report === 'held');
  expect(more).toEqual([]);
  for (const { report } of contenders.filter((each) => each !== holder)) expect(report).toMatch(/^held by process \d+$/);
  await expect(lock()).rejects.toThrow(`held by process ${holder?.child.pid}`);
  await holder?.end();
  expect(readdirSync(folder)).toEqual(['lock']);
  const release = await lock();
  expect((await lockElsewhere()).report).toBe(`held by process ${process.pid}`);
  release();
});

it.runIf(canUnshare)('holds between namespaces of processes, networks and mounts', async () => {
  const inside = await lockElsewhere(otherNamespaces);
  expect(inside.report).toBe('held');
  await expect(lock()).rejects.toThrow(/^held by process \d+ of another PID namespace$/);
  await inside.end();
  const release = await lock();
  expect((await lockElsewhere(otherNamespaces)).report).toBe(`held by process ${process.pid} of another PID namespace`);
  release();
});

it('counts as held while its holder is suspended or answers something else', async () => {
  const holder = await lockElsewhere();
  holder.child.kill('SIGSTOP');
  await expect(lock()).rejects.toThrow('held by a process that does not answer');
  await holder.end();
  const server = createServer((socket) => socket.end('SSH-2.0')).listen(join(folder, 'odd'));
  await once(server, 'listening');
  await expect(lock('odd')).rejects.toThrow('held by a process that does not answer');
  server.close();
});

it('works in folders whose paths are too long for sockets', async () => {
  folder = join(folder, 'a'.repeat(60), 'b'.repeat(60));
  mkdirSync(folder, { recursive: true });
  const release = await lock();
  await expect(lock()).rejects.toThrow(`held by process ${process.pid}`);
  release();
  expect(readdirSync(folder)).toEqual([]);
});

it('rejects with the error of the file system', async () => {
  await expect(lockExclusively(join(folder, 'none'), 'lock', () => new Error('held'))).rejects.toMatchObject({ code: 'ENOENT' });
  if (isRoot) return;
  chmodSync(folder, 0o500);
  await expect(lock()).rejects.toMatchObject({ code: 'EACCES' });
});

it('can be taken on the machine', async () => {
  const name = `test-${process.pid}.lock`;
  const heldBy = () => new Error('held');
  const release = await lockOnMachine(name, heldBy);
  await expect(lockOnMachine(name, heldBy)).rejects.toThrow('held');
  release();
  (await lockOnMachine(name, heldBy))();
});
