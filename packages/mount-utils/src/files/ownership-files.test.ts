import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { machineOwnershipFiles } from './ownership-files.js';
import { setVolumeOwnership } from './volume-ownership.js';

const fsGroup = process.getgid?.() ?? 0;
const modeOf = (path: string) => statSync(path).mode & 0o7777;

function makeVolume() {
  const folder = mkdtempSync(join(tmpdir(), 'ownership-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const volume = join(folder, 'volume');
  mkdirSync(join(volume, 'sub'), { recursive: true, mode: 0o700 });
  const outside = join(folder, 'outside');
  for (const path of [outside, join(volume, 'file'), join(volume, 'sub/file')]) {
    writeFileSync(path, '');
    chmodSync(path, 0o600);
  }
  return { folder, volume, outside };
}

it('sets the mode of all files of a volume, and not that of a target of a link', async () => {
  const { volume, outside } = makeVolume();
  symlinkSync(outside, join(volume, 'link'));
  await setVolumeOwnership({ path: volume, fsGroup, readOnly: false });
  expect([modeOf(join(volume, 'file')), modeOf(join(volume, 'sub/file'))]).toEqual([0o660, 0o660]);
  expect([modeOf(volume), modeOf(join(volume, 'sub'))]).toEqual([0o2770, 0o2770]);
  expect(modeOf(outside)).toBe(0o600);
});

it('changes nothing outside the volume if a container replaces a file by a link after it was opened', async () => {
  const { folder, volume, outside } = makeVolume();
  await setVolumeOwnership({
    path: volume,
    fsGroup,
    readOnly: false,
    files: {
      ...machineOwnershipFiles,
      walk: (root, visit, signal) =>
        machineOwnershipFiles.walk(
          root,
          async (file) => {
            if (file.kind === 'file') {
              for (const name of ['file', 'sub/file']) {
                renameSync(join(volume, name), join(folder, `away-${name.replace('/', '-')}`));
                symlinkSync(outside, join(volume, name));
              }
            }
            await visit(file);
          },
          signal,
        ),
    },
  }).catch(() => {});
  expect(modeOf(outside)).toBe(0o600);
});
