import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { createLayerTree } from './layer-tree.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedMiB(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

it('keeps the names of files, not their paths', () => {
  const tree = createLayerTree();
  const folder = `${'f'.repeat(240)}/`.repeat(15);
  const before = usedMiB();
  for (let index = 0; index < 20_000; index++)
    tree.place({ name: Buffer.from(`${folder}the-name-of-file-${index}`).toString(), kind: 'file' });
  // Their paths are 70 MiB.
  expect(usedMiB() - before).toBeLessThan(20);
  expect(tree.opaqueFolders()).toEqual([]);
});
