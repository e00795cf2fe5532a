import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { capture } from '../parallel.mjs';
import { root } from '../pnpm.mjs';
import { repositoryUrl } from '../repository.mjs';
import { filesBelow } from './file-tree.mjs';

/** Writes a folder as FILE, a .tar.gz whose bytes depend on the content alone. */
export async function writeTarball(folder, file, { epochSeconds }) {
  const tar = `${folder}.tar`;
  const owner = ['--owner=0', '--group=0', '--numeric-owner'];
  const order = ['--format=gnu', '--sort=name', `--mtime=@${epochSeconds}`];
  await succeed('tar', ['--create', '--file', tar, ...owner, ...order, '-C', dirname(folder), basename(folder)]);
  await pipeline(createReadStream(tar), createGzip({ level: 9 }), createWriteStream(file));
}

/** Adds the control files of a Debian package to a file tree and writes it as FILE. */
export async function writeDebianPackage(tree, file, { version, epochSeconds }) {
  const files = filesBelow(tree.folder);
  const values = {
    VERSION: version,
    INSTALLED_KIB: String(Math.ceil(files.reduce((sum, { bytes }) => sum + Math.ceil(bytes / 1024), 0))),
    HOMEPAGE: repositoryUrl,
  };
  const debian = join(root, 'packaging', 'debian');
  const control = readFileSync(join(debian, 'control'), 'utf8').replace(/@(\w+)@/g, (_, name) => values[name]);
  tree.write('DEBIAN/control', control);
  for (const script of ['postinst', 'prerm', 'postrm']) tree.copy(join(debian, script), `DEBIAN/${script}`, 0o755);
  const configuration = files.filter(({ file }) => file.startsWith('etc/'));
  tree.write('DEBIAN/conffiles', lines(configuration.map(({ file }) => `/${file}`)));
  const others = files.filter((each) => !configuration.includes(each));
  tree.write('DEBIAN/md5sums', lines(others.map(({ path, file }) => `${digestOf('md5', path)}  ${file}`)));
  tree.finish(epochSeconds);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(epochSeconds) };
  // One thread and one compression, whatever the distribution and the machine.
  const compression = ['-Zxz', '-z9', '--threads-max=1'];
  await succeed('dpkg-deb', ['--root-owner-group', ...compression, '--build', tree.folder, file], { env });
}

/** The lines of SHA256SUMS for files of one folder. */
export const sha256Sums = (files) => lines(files.map((file) => `${digestOf('sha256', file)}  ${basename(file)}`));

const digestOf = (algorithm, path) => createHash(algorithm).update(readFileSync(path)).digest('hex');

const lines = (texts) => texts.map((text) => `${text}\n`).join('');

async function succeed(command, args, options) {
  const { status, stderr } = await capture(command, args, options);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed\n${stderr}`);
}
