import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where tests can mount writable overlays: in a container the temporary folder may be on an overlay itself. Undefined without the privilege to mount. */
export const overlayFolder: string | undefined = [tmpdir(), '/dev/shm'].find(hasOverlays);

function hasOverlays(parent: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(parent, 'overlay-'));
  try {
    for (const name of ['lower', 'upper', 'work', 'rootfs']) mkdirSync(join(folder, name));
    const args = ['-t', 'overlay', 'overlay', '-o', 'lowerdir=lower,upperdir=upper,workdir=work', join(folder, 'rootfs')];
    execFileSync('mount', args, { cwd: folder, stdio: 'ignore' });
    execFileSync('umount', [join(folder, 'rootfs')], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
