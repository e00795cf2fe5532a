import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { testTar } from '../layers/test-tar.js';
import { startTestRegistry, testImage } from '../pull/test-registry.js';
import { openImageStore } from './image-store.js';

const [kills, maxDelayMs, files] = [12, 400, 300];
const seed = Date.now() % 1_000_000;
let state = seed;
/** Numbers in [0, 1) that follow from the seed. */
function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
}

/** A layer of many files, so that a kill meets tar(1) at work. */
const layer = (folder: string) =>
  testTar(...Array.from({ length: files }, (_, index) => ({ name: `${folder}/${index % 20}/${index}`, content: `${folder} ${index}` })));

it.runIf(process.getuid?.() === 0)(
  `uses no half layer after ${kills} kills of unpacking and removing (seed ${seed})`,
  { timeout: 120_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'image-store-'));
    const root = join(folder, 'store');
    const registry = await startTestRegistry();
    const shared = await layer('shared');
    registry.add('team/first:1', testImage([shared, await layer('first')]));
    registry.add('team/second:1', testImage([shared, await layer('second')]));
    const program = join(folder, 'program.cjs');
    const entryPoint = fileURLToPath(new URL('test-killed-store.ts', import.meta.url));
    await build({ entryPoints: [entryPoint], outfile: program, bundle: true, platform: 'node', format: 'cjs' });
    let unfinished = 0;
    for (let kill = 0; kill < kills; kill++) {
      const child = spawn(process.execPath, [program, root, registry.host], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [text] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      expect(String(text)).toBe('open\n');
      await new Promise((resolve) => setTimeout(resolve, random() * maxDelayMs));
      child.kill('SIGKILL');
      await once(child, 'exit');
      const left = await readdir(join(root, 'layers')).catch(() => []);
      if (left.some((name) => name.startsWith('.'))) unfinished++;
    }
    expect(unfinished).toBeGreaterThan(0);
    const store = await openImageStore({ root, machine: { os: 'linux', architecture: 'amd64' } });
    for (const image of ['first', 'second']) {
      await store.pull(`${registry.host}/team/${image}:1`);
      const folders = await store.unpack(`${registry.host}/team/${image}:1`);
      for (const [index, name] of [image, 'shared'].entries())
        for (let file = 0; file < files; file++)
          expect(await readFile(join(folders[index] ?? '', name, `${file % 20}`, `${file}`), 'utf8')).toBe(`${name} ${file}`);
      await store.remove(`${registry.host}/team/${image}:1`);
    }
    expect(await readdir(join(root, 'layers'))).toEqual([]);
    await store.close();
    await registry.stop();
    await rm(folder, { recursive: true });
  },
);
