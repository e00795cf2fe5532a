import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { volumePaths } from '@nodeagent/api/helpers';
import { createFakeMounter } from '@nodeagent/mount-utils';
import type { Payload } from '@nodeagent/volume-plugins';
import { createVolumePlugins, writeAtomically } from '@nodeagent/volume-plugins/node';
import { describe, expect, it } from 'vitest';
import { startAttacker } from './attacker.js';
import { createScene } from './scene.js';

const attackMs = 1_500;

const payloadOf = (content: string): Payload =>
  new Map(['file-0', 'inner/file-0'].map((path) => [path, { data: Buffer.from(content), mode: 0o666 }]));

/**
 * Replaces the folders and files that the agent creates by links to those of the host with the same names, as soon as they appear, and the link to the
 * current files by one to the host. Empties the volume now and then, so that the agent
 * begins again. The attacker itself follows no link: in its container these lead elsewhere.
 */
const script = `
const [volume, host] = args;
const aside = volume + '.aside';
fs.mkdirSync(aside);
const pairs = [['', ''], ['/inner', '/inner'], ['/inner/file-0', '/inner/file-0'], ['/file-0', '/inner/file-0']];
let tries = 0;
function replace(path, target) {
  try {
    if (!fs.lstatSync(path.slice(0, path.lastIndexOf('/'))).isDirectory()) return false;
    fs.renameSync(path, aside + '/' + tries);
    fs.symlinkSync(target, path);
    return true;
  } catch {
    return false;
  }
}
function empty(folder) {
  for (const name of fs.readdirSync(folder)) try { fs.rmSync(folder + '/' + name, { recursive: true, force: true }); } catch {}
}
function round() {
  tries++;
  if (tries % 40 === 0) {
    empty(volume);
    empty(aside);
  }
  const [own, of] = pairs[tries % 4];
  const made = fs.readdirSync(volume, { withFileTypes: true }).filter((each) => each.isDirectory() && /^\\.\\.\\d/.test(each.name)).map(({ name }) => name);
  const replaced = made.filter((name) => replace(volume + '/' + name + own, host + of));
  return tries % 17 === 0 ? replace(volume + '/..data', '../host') : replaced.length > 0;
}
`;

describe('a configMap, secret or projected volume that a container can write to (CVE-2017-1002102)', () => {
  it('whose link to the current files leads to a folder of the host loses no file of the host', async () => {
    const { volume, hostState } = createScene();
    const before = hostState();
    symlinkSync('../host', join(volume, '..data'));
    await writeAtomically({ targetDir: volume, clock: systemClock, payload: payloadOf('new') });
    expect(hostState()).toEqual(before);
    expect(readFileSync(join(volume, 'inner', 'file-0'), 'utf8')).toBe('new');
  });

  it('whose mount point for another volume leads to a folder of the host makes no folder there', async () => {
    const { root, host, hostState } = createScene();
    const before = hostState();
    const volume = { name: 'keys', downwardAPI: { items: [], defaultMode: 0o644 } };
    const mounts = ['/keys', '/keys/link/made'].map((mountPath, index) => ({ name: ['keys', 'other'][index] as string, mountPath }));
    const pod = { metadata: { name: 'p', uid: 'u' }, spec: { containers: [{ name: 'c', volumeMounts: mounts }], volumes: [volume] } };
    const plugins = createVolumePlugins({ rootDir: root, mounter: createFakeMounter({ canMount: false }) });
    const mounter = await plugins
      .find(({ canSupport }) => canSupport({ volume, readOnly: false }))
      ?.mounter({ volume, readOnly: false }, pod);
    const path = volumePaths(root).podVolume('u', 'kubernetes.io/downward-api', 'keys');
    mkdirSync(path, { recursive: true });
    symlinkSync(host, join(path, 'link'));
    const { signal } = new AbortController();
    await expect(mounter?.setUp({ signal, isRemount: true, reconstructed: false })).rejects.toThrow('outside');
    expect(hostState()).toEqual(before);
    expect(readdirSync(host)).toEqual(['inner']);
  });

  it('whose new folders and files become links to the host while the agent writes changes nothing of the host', async () => {
    const { volume, host, hostState } = createScene();
    const before = hostState();
    const attacker = await startAttacker(script, [volume, host]);
    const outcome = { succeeded: 0, failed: 0 };
    for (const end = performance.now() + attackMs; performance.now() < end; ) {
      const payload = payloadOf(`content ${outcome.succeeded}`);
      await writeAtomically({ targetDir: volume, clock: systemClock, payload }).then(
        () => outcome.succeeded++,
        () => outcome.failed++,
      );
    }
    expect(await attacker.stop()).toBeGreaterThan(20);
    expect(hostState()).toEqual(before);
    expect(Math.min(outcome.succeeded, outcome.failed)).toBeGreaterThan(2);
  });
});
