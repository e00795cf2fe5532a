import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a file is, each field as text; times in nanoseconds. Equal texts mean equal files. */
export type ListedFile = Readonly<
  Record<'type' | 'owner' | 'mode' | 'mtime' | 'device' | 'target' | 'links' | 'xattrs' | 'content', string>
>;

/** The files of a tree by their paths, `.` for the folder itself. Bytes of names that are not ASCII are written as `\xff`. */
export type TreeListing = ReadonlyMap<string, ListedFile>;

const hourNs = 3_600_000_000_000n;

/** By the file type bits of a mode. */
const types = new Map([
  [0o04, 'folder'],
  [0o10, 'file'],
  [0o12, 'symlink'],
  [0o02, 'char'],
  [0o06, 'block'],
  [0o01, 'fifo'],
]);

/**
 * Lists a tree without following links out of it.
 * @param since - times after this one, in nanoseconds, are listed as `recent`
 */
export function listTree(root: string, since?: bigint): TreeListing {
  const xattrs = xattrsOf(root);
  const files: { path: string; inode: string; file: ListedFile }[] = [];
  const inodes = new Map<string, string[]>();
  const visit = (bytes: Buffer, path: string) => {
    // overlayfs lists a whiteout in a folder that only one layer has, and then does not find it.
    const stat = lstatSync(bytes, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return;
    const type = types.get(Number(stat.mode) >> 12) ?? 'unknown';
    const inode = type === 'folder' ? '' : `${stat.dev}:${stat.ino}`;
    inodes.set(inode, [...(inodes.get(inode) ?? []), path]);
    const file: ListedFile = {
      type,
      owner: `${stat.uid}:${stat.gid}`,
      mode: (Number(stat.mode) & 0o7777).toString(8),
      mtime: since !== undefined && stat.mtimeNs > since && stat.mtimeNs < since + hourNs ? 'recent' : `${stat.mtimeNs}`,
      device: type === 'char' || type === 'block' ? `${stat.rdev}` : '',
      target: type === 'symlink' ? textOf(readlinkSync(bytes, 'buffer')) : '',
      links: '',
      xattrs: xattrs.get(path) ?? '',
      content: type === 'file' ? `${stat.size} bytes, sha256 ${createHash('sha256').update(readFileSync(bytes)).digest('hex')}` : '',
    };
    files.push({ path, inode, file });
    if (type !== 'folder') return;
    for (const name of readdirSync(bytes, 'buffer')) visit(Buffer.concat([bytes, Buffer.from('/'), name]), `${path}/${textOf(name)}`);
  };
  visit(Buffer.from(root), '.');
  const links = (inode: string) => (inode === '' ? [] : (inodes.get(inode) ?? [])).sort();
  const listed = files.map(({ path, inode, file }): [string, ListedFile] => [path, { ...file, links: links(inode).join(' ') }]);
  return new Map(listed.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The differences between two trees, one a line; none for equal ones. A folder that no entry of an image describes is `recent` where containerd unpacked it; any time
 * is equal to that.
 */
export function treeDifferences(expected: TreeListing, actual: TreeListing): string[] {
  const paths = [...new Set([...expected.keys(), ...actual.keys()])].sort();
  return paths.flatMap((path) => {
    const [want, got] = [expected.get(path), actual.get(path)];
    if (want === undefined || got === undefined) return [`${path}: ${want === undefined ? 'exists' : 'is missing'}`];
    const fields = Object.keys(want) as (keyof ListedFile)[];
    const isEqual = (field: keyof ListedFile) => want[field] === got[field] || (want.type === 'folder' && want[field] === 'recent');
    return fields.filter((field) => !isEqual(field)).map((field) => `${path}: ${field} is ${got[field]} instead of ${want[field]}`);
  });
}

const textOf = (bytes: Buffer) =>
  bytes.toString('latin1').replace(/[^\x20-\x7e]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** The extended attributes of all files by path, which Node does not read. */
function xattrsOf(root: string): Map<string, string> {
  const { status, stdout, stderr } = spawnSync('getfattr', ['-R', '-P', '-h', '-d', '-m', '-', '-e', 'hex', '.'], {
    cwd: root,
    maxBuffer: 2 ** 28,
  });
  const problems = String(stderr)
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith('No such file or directory'));
  if (status === null || problems.length > 0) throw new Error(`getfattr: ${stderr}`);
  const blocks = stdout
    .toString('latin1')
    .split('\n\n')
    .filter((block) => block !== '');
  return new Map(
    blocks.map((block) => {
      const [first = '', ...lines] = block.split('\n');
      const name = first.slice('# file: '.length).replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
      const path = name === '.' ? name : `./${name.replace(/^\.\//, '')}`;
      return [textOf(Buffer.from(path, 'latin1')), lines.sort().join(' ')];
    }),
  );
}
