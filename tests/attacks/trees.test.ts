import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '@nodeagent/api/files';
import { createVolumeMeter, setVolumeOwnership } from '@nodeagent/mount-utils';
import { expect, it, onTestFinished } from 'vitest';
import { startSwapper } from './swapper.js';

const attackMs = 1_500;
const minRounds = 50;
const hostBytes = 4 << 20;

/** A volume and files of the host, whose names are those in the volume, and an attacker that links the one to the other. */
async function attackVolume() {
  const root = mkdtempSync(join(tmpdir(), 'attack-'));
  onTestFinished(() => void execFileSync('rm', ['-rf', root]));
  const [volume, host] = [join(root, 'volume'), join(root, 'host')];
  mkdirSync(volume);
  mkdirSync(join(host, 'inner'), { recursive: true, mode: 0o700 });
  for (let each = 0; each < 20; each++) writeFileSync(join(host, 'inner', `file-${each}`), Buffer.alloc(hostBytes / 20), { mode: 0o600 });
  const hostFiles = () => {
    const paths = [host, join(host, 'inner'), ...readdirSync(join(host, 'inner')).map((name) => join(host, 'inner', name))];
    return paths.map((path) => {
      const { mode, gid, size } = statSync(path);
      return [path, mode, gid, path.includes('file') ? size : 0];
    });
  };
  return { volume, hostFiles, swapper: await startSwapper(join(volume, 'folder'), host) };
}

/** Repeats the work until the time of the attack is over, and on a busy machine until it was often enough. */
async function during(work: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + attackMs;
  for (let rounds = 0; rounds < minRounds || performance.now() < end; rounds++) await work();
}

/** The attacker adds and moves files meanwhile: the operation may fail, but must not leave the volume. */
const unlessChanged = (error: unknown) => {
  if (!['EISDIR', 'ENOTEMPTY', 'ESTALE', 'ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as { code?: string }).code ?? '')) throw error;
};

it('removing a volume whose folders are exchanged for links removes nothing of the host', async () => {
  const { volume, hostFiles, swapper } = await attackVolume();
  const before = hostFiles();
  await during(() => removeTree(join(volume, 'folder')).catch(unlessChanged));
  expect(await swapper.stop()).toBeGreaterThan(1_000);
  expect(hostFiles()).toEqual(before);
});

it('setting the group of a volume whose folders are exchanged for links changes nothing of the host', async () => {
  const { volume, hostFiles, swapper } = await attackVolume();
  const before = hostFiles();
  const fsGroup = process.getuid?.() === 0 ? 12_345 : (process.getgid?.() ?? 0);
  await during(() => setVolumeOwnership({ path: volume, fsGroup, readOnly: false }).catch(unlessChanged));
  expect(await swapper.stop()).toBeGreaterThan(1_000);
  expect(hostFiles()).toEqual(before);
});

it('measuring a volume whose folders are exchanged for links counts nothing of the host', async () => {
  const { volume, swapper } = await attackVolume();
  let most = 0n;
  await during(async () => {
    const usage = await createVolumeMeter().folder(volume, new AbortController().signal).catch(unlessChanged);
    const { usedBytes = 0n } = usage ?? {};
    if (usedBytes > most) most = usedBytes;
  });
  expect(await swapper.stop()).toBeGreaterThan(1_000);
  expect(most).toBeGreaterThan(0n);
  expect(most).toBeLessThan(BigInt(hostBytes / 4));
});
