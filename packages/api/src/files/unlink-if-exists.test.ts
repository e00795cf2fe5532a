import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unlinkIfExists, unlinkIfExistsSync } from './unlink-if-exists.js';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'unlink-if-exists-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** In a separate process: what other tests inspect at the same time would count. */
it.each(['unlinkIfExists', 'unlinkIfExistsSync'])(
  '%s removes a FIFO, after which a package behind a symlink still loads with its dependencies',
  (name) => {
    const write = (path: string, text: string) => {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    write('store/node_modules/outer/index.js', "module.exports = require('inner');");
    write('store/node_modules/inner/index.js', "module.exports = 'the dependency';");
    write('app/node_modules/other.js', '');
    symlinkSync(join(folder, 'store/node_modules/outer'), join(folder, 'app/node_modules/outer'));
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const source = join(import.meta.dirname, 'unlink-if-exists.ts');
    buildSync({ entryPoints: [source], outfile: join(folder, 'unlink.cjs'), bundle: true, platform: 'node', format: 'cjs' });
    // The loader knows the folders on the way after the first package, which is when it relies on the last inspection.
    write(
      'app/main.cjs',
      `const { ${name}: remove } = require('../unlink.cjs');
    require('./node_modules/other.js');
    Promise.resolve(remove('../fifo')).then(() => process.stdout.write(require('outer')));`,
    );
    const printed = execFileSync(process.execPath, ['main.cjs'], { cwd: join(folder, 'app'), encoding: 'utf8' });
    expect(printed).toBe('the dependency');
    expect(existsSync(fifo)).toBe(false);
  },
);

it('does nothing if the file is missing, and rejects with any other error', async () => {
  await unlinkIfExists(join(folder, 'missing'));
  unlinkIfExistsSync(join(folder, 'missing'));
  await expect(unlinkIfExists(folder)).rejects.toThrow(/EISDIR|EPERM/);
  expect(() => unlinkIfExistsSync(folder)).toThrow(/EISDIR|EPERM/);
});
