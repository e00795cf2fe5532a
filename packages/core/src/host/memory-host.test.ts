import { createMemoryFiles } from '@nodeagent/runtime-manager';
import { expect, it } from 'vitest';
import { memoryHost } from './memory-host.js';

it("removes the files in a pod's folder with the folder", async () => {
  const files = createMemoryFiles();
  const { podDirs: dirs } = memoryHost({ files });
  await dirs.create('a');
  await files.writeFile(`${dirs.podDir('a')}/etc-hosts`, 'x', 0o644);
  await files.writeFile(`${dirs.podDir('ab')}/etc-hosts`, 'x', 0o644);
  expect([await dirs.list(), await dirs.remove('a'), await dirs.list()]).toEqual([['a'], true, []]);
  expect([...files.entries.keys()]).toEqual(['/pods/ab/etc-hosts']);
});
