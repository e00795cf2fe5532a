import { describe, expect, it } from 'vitest';
import { parseMountInfo } from './mount-info.js';
import { createNodeMounter } from './node-mounter.js';

describe('the node mounter', () => {
  const ran: string[] = [];
  const mounter = (stderr = '', exitCode = 0) =>
    createNodeMounter({
      isRoot: true,
      run: async (command, args) => {
        ran.push([command, ...args].join(' '));
        return { exitCode, stdout: '', stderr };
      },
    });

  it('never reveals sensitive options', async () => {
    const request = { source: '//host/share', target: '/t', fsType: 'cifs', options: ['ro'], sensitiveOptions: ['password=hush'] };
    const failure = await mounter('bad option password=hush', 32)
      .mount(request)
      .catch((error) => error);
    expect(failure).toMatchObject({ code: 'MountFailed', retryable: true, details: { exitCode: 32, output: 'bad option <masked>' } });
    expect(failure.message).not.toContain('hush');
    expect(ran.pop()).toBe('mount -t cifs -o ro,password=hush //host/share /t');
  });

  it('reports that mounting requires root', async () => {
    const attempt = createNodeMounter({ isRoot: false }).mount({ source: 'tmpfs', target: '/t', fsType: 'tmpfs' });
    await expect(attempt).rejects.toMatchObject({ code: 'MountNotPermitted', message: expect.stringContaining('mounting requires root') });
  });

  it('treats an absent mount as unmounted, and a busy one as an error', async () => {
    await mounter('umount: /t: not mounted.', 32).unmount('/t');
    await expect(mounter('umount: /t: target is busy.', 32).unmount('/t')).rejects.toThrow('target is busy');
  });

  it('runs tools in the folder of the request, and untranslated', async () => {
    const folders: (string | undefined)[] = [];
    const run = async (_command: string, _args: readonly string[], _signal?: AbortSignal, cwd?: string) => {
      folders.push(cwd);
      return { exitCode: 0, stdout: '', stderr: '' };
    };
    await createNodeMounter({ isRoot: true, run }).mount({ source: 'overlay', target: '/t', fsType: 'overlay', cwd: '/layers' });
    expect(folders).toEqual(['/layers']);
    const { stdout } = await createNodeMounter().run('sh', ['-c', 'pwd; echo $LC_ALL'], undefined, '/proc');
    expect(stdout).toBe('/proc\nC\n');
  });

  it('reads the mounts of this machine', async () => {
    const mounts = await createNodeMounter().list();
    expect(mounts.map(({ mountPoint }) => mountPoint)).toContain('/');
  });

  it('reads paths with spaces, newlines and letters beyond ASCII', () => {
    const [mount] = parseMountInfo(
      '36 35 98:0 /a\\040b /mnt/x\\012y\\134z\\303\\274 rw,noatime master:1 shared:2 - ext4 /dev/r rw,errors=continue\n',
    );
    expect(mount).toMatchObject({ root: '/a b', mountPoint: '/mnt/x\ny\\zü', optionalFields: ['master:1', 'shared:2'], fsType: 'ext4' });
  });

  it('rejects malformed lines', () => {
    for (const line of [
      '',
      ' ',
      '1 2 3',
      '36 35 98 / /m rw - ext4 /dev/r rw x',
      'x 35 98:0 / /m rw - ext4 /dev/r rw',
      '36 35 98:0 / /m rw a b c d',
    ]) {
      if (line === '') expect(parseMountInfo(line)).toEqual([]);
      else expect(() => parseMountInfo(line), line).toThrow(expect.objectContaining({ code: 'InvalidMountInfo' }));
    }
  });
});
