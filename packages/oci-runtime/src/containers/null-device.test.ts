import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { restoreNullDevice } from './null-device.js';

it.runIf(process.getuid?.() === 0)('the null device is given back to root and opened to all', () => {
  const folder = mkdtempSync(join(tmpdir(), 'null-device-'));
  try {
    const path = join(folder, 'null');
    execFileSync('mknod', ['--mode', '600', path, 'c', '1', '3']);
    execFileSync('chown', ['300000:300000', path]);
    restoreNullDevice(path);
    const { uid, gid, mode } = statSync(path);
    expect([uid, gid, mode & 0o777]).toEqual([0, 0, 0o666]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
