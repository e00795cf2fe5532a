import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findPrograms, rootPath } from './find-programs.js';

it('finds programs in the order of PATH', () => {
  const dir = mkdtempSync('/tmp/nodeagent-programs-');
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const [first, second] = [join(dir, 'first'), join(dir, 'second')];
  for (const folder of [first, second]) mkdirSync(folder);
  writeFileSync(join(first, 'conmon'), '', { mode: 0o644 });
  mkdirSync(join(first, 'nodeagent-folder'));
  for (const name of ['conmon', 'busybox']) writeFileSync(join(second, name), '', { mode: 0o755 });
  symlinkSync('busybox', join(first, 'nodeagent-link'));
  for (const name of ['unshare', 'nodeagent-link']) symlinkSync('busybox', join(second, name));

  const names = ['conmon', 'nodeagent-link', 'nodeagent-folder', 'nodeagent-none', 'unshare'];
  const found = findPrograms(names, `${first}:relative:${second}`);
  expect(found.conmon).toBe(join(second, 'conmon'));
  expect(found['nodeagent-link']).toBe(join(second, 'nodeagent-link'));
  expect(found).not.toHaveProperty('nodeagent-folder');
  expect(found).not.toHaveProperty('nodeagent-none');
  // That of busybox does not count.
  expect(found).not.toHaveProperty('unshare');
});

it('has the folders of root for ordinary users', () => {
  expect(rootPath({ env: { PATH: '/opt/bin' }, isRoot: true })).toBe('/opt/bin');
  expect(rootPath({ env: { PATH: '/opt/bin' }, isRoot: false })).toMatch(/^\/opt\/bin:.*:\/usr\/sbin:/);
});
