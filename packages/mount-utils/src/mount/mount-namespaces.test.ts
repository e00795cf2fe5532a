import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hasMountsOfGroup } from './mount-namespaces.js';

const line = (fields: string) => `36 35 98:0 /agent /var/lib/my-agent rw,noatime ${fields}- ext4 /dev/root rw\n`;

/** A `/proc` with processes in the mount namespaces; undefined for a table that cannot be read. */
function procOf(processes: Record<string, { namespace: string; table?: string }>): string {
  const proc = mkdtempSync(join(tmpdir(), 'proc-'));
  onTestFinished(() => rmSync(proc, { recursive: true }));
  for (const [pid, { namespace, table }] of Object.entries(processes)) {
    mkdirSync(join(proc, pid, 'ns'), { recursive: true });
    symlinkSync(`mnt:[${namespace}]`, join(proc, pid, 'ns/mnt'));
    if (table !== undefined) writeFileSync(join(proc, pid, 'mountinfo'), table);
  }
  return proc;
}

it.each([
  ['a container that sends and receives', line('shared:7 '), true],
  ['a container that only receives', line('master:7 '), true],
  ['a container that does both with different groups', line('shared:9 master:7 '), true],
  ['a container with another group', line('shared:77 '), false],
  ['a container with a private copy', line(''), false],
])('finds a peer group in other mount namespaces: %s', async (_, table, expected) => {
  const own = { namespace: '1', table: line('shared:7 ') };
  const proc = procOf({ self: own, 1: own, 20: { namespace: '2', table }, meminfo: own });
  expect(await hasMountsOfGroup(7, proc)).toBe(expected);
});

it('reads another process of a namespace if the first has exited', async () => {
  const proc = procOf({ self: { namespace: '1' }, 20: { namespace: '2' }, 21: { namespace: '2', table: line('shared:7 ') } });
  expect(await hasMountsOfGroup(7, proc)).toBe(true);
});
