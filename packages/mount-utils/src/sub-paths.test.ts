import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeAgentError } from '@nodeagent/api';
import { volumePaths } from '@nodeagent/api/helpers';
import { createRecordingLogger } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSubPath, safeMakeDirectory } from './files/safe-open.js';
import { createFakeMounter } from './mount/fake-mounter.js';
import { createSubPaths } from './sub-paths.js';

describe('sub paths', () => {
  let root: string;
  let volumePath: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'nodeagent-subpath-')));
    volumePath = join(root, 'volume');
    mkdirSync(join(volumePath, 'inside'), { recursive: true });
    mkdirSync(join(root, 'secret'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const set = () => {
    const mounter = createFakeMounter();
    const logger = createRecordingLogger();
    const subPaths = createSubPaths({ mounter, paths: volumePaths(root), logger });
    /** The reasons in the log. */
    const causes = () => logger.lines.map(({ fields }) => (fields.err as NodeAgentError).details.reason);
    const prepare = (subPath: string, mountIndex = 0) =>
      subPaths.prepare({
        pod: { metadata: { name: 'p', uid: 'u' }, spec: { containers: [] } },
        container: { name: 'c' },
        mount: { name: 'v', mountPath: '/m' },
        mountIndex,
        volumePath,
        subPath,
      });
    return { mounter, subPaths, prepare, causes };
  };

  it('are bind-mounted from an open handle, and removed with their folders', async () => {
    const { mounter, subPaths, prepare } = set();
    writeFileSync(join(volumePath, 'inside/file'), '');
    const target = await prepare('inside');
    const file = await prepare('inside/file', 1);
    expect(target).toBe(join(root, 'pods/u/volume-subpaths/v/c/0'));
    expect([statSync(target).isDirectory(), statSync(file).isFile()]).toEqual([true, true]);
    expect(mounter.calls[0]).toMatch(new RegExp(`^mount --no-canonicalize -o bind /proc/${process.pid}/fd/\\d+ ${target}$`));
    await subPaths.clean('u', 'v');
    await subPaths.clean('u', 'v');
    expect([await mounter.list(), existsSync(join(root, 'pods/u/volume-subpaths'))]).toEqual([[], false]);
  });

  it('are created with the mode of the volume', async () => {
    const { prepare } = set();
    const mode = statSync(volumePath).mode & 0o7777;
    await prepare('made/deep');
    expect(statSync(join(volumePath, 'made/deep')).mode & 0o7777).toBe(mode);
  });

  it('never leave the volume, and do not reveal why', async () => {
    const { mounter, prepare } = set();
    symlinkSync(join(root, 'secret'), join(volumePath, 'out'));
    symlinkSync('inside', join(volumePath, 'in'));
    await expect(prepare('out')).rejects.toThrow('failed to prepare subPath for volumeMount "v" of container "c"');
    await expect(prepare('out/new')).rejects.toThrow('failed to create subPath directory for volumeMount "v" of container "c"');
    expect([mounter.calls, existsSync(join(root, 'secret/new'))]).toEqual([[], false]);
    await prepare('in');
    expect(mounter.calls).toHaveLength(1);
  });

  it.each(['out/new', 'out/file/new', 'chain/new', 'up/new', 'up/secret/new'])(
    'are refused as outside of the volume even where the rest of the path does not exist: %s',
    async (subPath) => {
      const { mounter, prepare, causes } = set();
      writeFileSync(join(root, 'secret/file'), '');
      symlinkSync(join(root, 'secret'), join(volumePath, 'out'));
      symlinkSync('inside/link', join(volumePath, 'chain'));
      symlinkSync('../../secret', join(volumePath, 'inside/link'));
      symlinkSync('..', join(volumePath, 'up'));
      await expect(openSubPath(volumePath, subPath)).rejects.toMatchObject({ details: { reason: 'outsideVolume' } });
      await expect(prepare(subPath)).rejects.toThrow('subPath');
      expect(causes()).toEqual(['outsideVolume']);
      expect([mounter.calls, readdirSync(join(root, 'secret')), readdirSync(root).sort()]).toEqual([[], ['file'], ['secret', 'volume']]);
    },
  );

  it.each(['dangling', 'dangling/new', 'chain', 'chain/new', 'absolute/new'])(
    'that lead out to a missing target are refused as not found, as by a kubelet, and create nothing: %s',
    async (subPath) => {
      const { mounter, prepare, causes } = set();
      symlinkSync('../secret/missing', join(volumePath, 'dangling'));
      symlinkSync('inside/link', join(volumePath, 'chain'));
      symlinkSync('../../secret/missing', join(volumePath, 'inside/link'));
      symlinkSync(join(root, 'nowhere/missing'), join(volumePath, 'absolute'));
      const names = () => [root, join(root, 'secret'), volumePath, join(volumePath, 'inside')].map((folder) => readdirSync(folder).sort());
      const before = names();
      await expect(openSubPath(volumePath, subPath)).rejects.toMatchObject({ details: { reason: 'notFound' } });
      await expect(safeMakeDirectory(subPath, volumePath, 0o755)).rejects.toMatchObject({ details: { reason: 'other' } });
      await expect(prepare(subPath)).rejects.toThrow('failed to create subPath directory for volumeMount "v" of container "c"');
      expect([causes(), mounter.calls, names()]).toEqual([['other'], [], before]);
    },
  );

  it('may be created in a folder of the volume to which a link leads over the outside', async () => {
    const { prepare } = set();
    symlinkSync('..', join(volumePath, 'up'));
    await prepare('up/volume/inside/made');
    expect(readdirSync(join(volumePath, 'inside'))).toEqual(['made']);
  });

  it.each([
    ['missing/new', 'notFound'],
    ['dangling', 'notFound'],
    ['inside/file/new', 'notADirectory'],
    ['loop/new', 'symlinkLoop'],
  ])('inside of the volume keep the reason of their failure: %s, %s', async (subPath, reason) => {
    writeFileSync(join(volumePath, 'inside/file'), '');
    symlinkSync('inside/missing', join(volumePath, 'dangling'));
    symlinkSync('loop', join(volumePath, 'loop'));
    await expect(openSubPath(volumePath, subPath)).rejects.toMatchObject({ details: { reason } });
  });

  it.each(['inside/file/new', 'loop/new'])('fail as unprepared if their existence cannot be determined: %s', async (subPath) => {
    const { prepare } = set();
    writeFileSync(join(volumePath, 'inside/file'), '');
    symlinkSync('loop', join(volumePath, 'loop'));
    await expect(prepare(subPath)).rejects.toThrow('failed to prepare subPath for volumeMount "v" of container "c"');
  });

  describe('of a volume that is updated while they are prepared', () => {
    /** Replaces the files as the atomic writer does: in a new folder, to which one rename of a link switches. */
    let version = 0;
    const update = () => {
      const folder = `..${++version}`;
      mkdirSync(join(volumePath, folder));
      writeFileSync(join(volumePath, folder, 'key'), `${version}`);
      symlinkSync(folder, join(volumePath, '..data_tmp'));
      renameSync(join(volumePath, '..data_tmp'), join(volumePath, '..data'));
      if (version === 1) symlinkSync('..data/key', join(volumePath, 'key'));
      else rmSync(join(volumePath, `..${version - 1}`), { recursive: true });
    };
    beforeEach(() => {
      version = 0;
      update();
    });

    /** Calls back before each mount, with the content of the bound file after it. */
    const setWith = (beforeMount: (count: number) => void) => {
      const setup = set();
      const { mount } = setup.mounter;
      const bound: string[] = [];
      setup.mounter.mount = async (request) => {
        beforeMount(bound.length + 1);
        bound.push(readFileSync(request.source ?? '', 'utf8'));
        await mount(request);
      };
      return { ...setup, bound };
    };

    it('bind the current file', async () => {
      const { prepare, bound, mounter } = setWith((count) => {
        if (count <= 2) update();
      });
      await prepare('key');
      expect(bound).toEqual(['1', '2', '3']);
      expect(mounter.calls.filter((call) => call.startsWith('unmount'))).toHaveLength(2);
    });

    it('bind again if the bind failed because the file was removed, and log nothing', async () => {
      const { prepare, bound, causes } = setWith((count) => {
        if (count > 1) return;
        update();
        bound.push('none');
        throw new Error('mount: special device does not exist');
      });
      await prepare('key');
      expect([bound, causes()]).toEqual([['none', '2'], []]);
    });

    it('fail if the bind fails without an update', async () => {
      let attempts = 0;
      const { prepare } = setWith(() => {
        attempts++;
        throw new Error('mount: permission denied');
      });
      await expect(prepare('key')).rejects.toThrow('failed to prepare subPath for volumeMount "v" of container "c"');
      expect(attempts).toBe(1);
    });

    it('follow a bounded number of updates', async () => {
      const { prepare, bound } = setWith(update);
      await prepare('key');
      expect(bound).toHaveLength(6);
    });

    it('bind the current file when they are prepared again', async () => {
      const { prepare, bound } = setWith(() => {});
      const target = await prepare('key');
      update();
      expect(await prepare('key')).toBe(target);
      expect(bound).toEqual(['1', '2']);
    });
  });

  it('are not created through a dangling link in the volume', async () => {
    const { prepare } = set();
    symlinkSync('inside/missing', join(volumePath, 'dangling'));
    await expect(prepare('dangling')).rejects.toThrow('failed to create subPath directory for volumeMount "v" of container "c"');
    expect(readdirSync(join(volumePath, 'inside'))).toEqual([]);
  });
});
