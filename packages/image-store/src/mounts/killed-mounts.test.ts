import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@nodeagent/api';
import { createNodeMounter } from '@nodeagent/mount-utils';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { openImageMounts } from './image-mounts.js';
import { overlayFolder } from './test-overlay-folder.js';

const kills = 32;
const maxDelayMs = 80;
const seed = Date.now() % 1_000_000;
let state = seed;
/** Numbers in [0, 1) that follow from the seed. */
function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
}

it.runIf(overlayFolder)(`mounts and records agree after ${kills} kills (seed ${seed})`, async () => {
  const folder = await realpath(await mkdtemp(join(overlayFolder ?? '', 'killed-mounts-')));
  const [root, layer, target] = [join(folder, 'store'), join(folder, 'layer'), join(folder, 'target')];
  for (const path of [root, layer, target]) await mkdir(path);
  for (let file = 0; file < 50; file++) await writeFile(join(layer, `file-${file}`), '', { mode: 0o755 });
  const program = join(folder, 'program.cjs');
  const entryPoint = fileURLToPath(new URL('test-killed-mounts.ts', import.meta.url));
  await build({ entryPoints: [entryPoint], outfile: program, bundle: true, platform: 'node', format: 'cjs' });
  const open = () => openImageMounts({ root, mounter: createNodeMounter(), clock: systemClock });
  const mountPoints = () =>
    [...readFileSync('/proc/self/mountinfo', 'utf8').matchAll(/^\S+ \S+ \S+ \S+ (\S+)/gm)].map(([, path = '']) => path);
  const namesIn = (name: string) => (existsSync(join(root, name)) ? readdirSync(join(root, name)) : []);
  const found = { mounted: 0, recorded: 0 };

  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(process.execPath, [program, root, layer, target], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [text] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(String(text)).toBe('open\n');
    await new Promise((resolve) => setTimeout(resolve, random() * maxDelayMs));
    child.kill('SIGKILL');
    await once(child, 'exit');
    if (kill % 2 === 0) continue;
    const mounts = await open();
    const present = await mounts.listMounts();
    const keys = async () => (await (await open()).listMounts()).map(({ key }) => key).sort();
    await expect.poll(async () => [await keys(), namesIn('mounts').sort()]).toEqual([await keys(), await keys()]);
    found.recorded += present.length;
    for (const { key, isMounted } of present) {
      found.mounted += isMounted ? 1 : 0;
      expect(existsSync(join(root, 'mounts', key, 'mount.json'))).toBe(true);
    }
    // A program that the killed process started may be about to mount.
    await expect
      .poll(() => Promise.allSettled(['container', 'volume', 'shifted'].map((key) => mounts.removeMount(key))))
      .toEqual(Array(3).fill({ status: 'fulfilled', value: undefined }));
    await expect.poll(() => open().then(() => mountPoints().filter((path) => path.startsWith(folder)))).toEqual([]);
    expect([...namesIn('mounts'), ...namesIn('shifted')]).toEqual([]);
    expect(readdirSync(target)).toEqual([]);
  }
  expect(found.mounted).toBeGreaterThan(0);
  expect(found.recorded).toBeGreaterThan(found.mounted);
  await rm(folder, { recursive: true });
});
