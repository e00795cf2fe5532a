import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { loadGrpcJs } from './load-grpc-js.js';

const folder = mkdtempSync(join(tmpdir(), 'load-grpc-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('loads gRPC by its real path although the process inspected a FIFO last', async () => {
  const requireHere = createRequire(import.meta.url);
  // The loader has then cached the parent folders, as in a process that has loaded another file of this checkout.
  requireHere('../package.json');
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  lstatSync(fifo);
  expect((await loadGrpcJs()).Client).toBeTypeOf('function');
  const loaded = Object.keys(requireHere.cache).filter((path) => path.includes('/@grpc/grpc-js/'));
  expect(loaded).not.toEqual([]);
  expect(loaded.map((path) => realpathSync(path))).toEqual(loaded);
});
