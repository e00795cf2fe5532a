import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mounter } from '@nodeagent/api';
import { isPathWithinBase } from '@nodeagent/api/helpers';
import { type IdMappings, idmapOption, idmapText } from './id-mapping.js';

type Bind = (source: string, target: string) => Promise<boolean>;

/**
 * Binds folders to `0`, `1` and so on in a folder, by mounts that show the IDs of a user namespace. False, with some of the mounts, where neither mount(8)
 * nor Perl can do it, or the kernel or a file system refuses.
 */
export async function bindIdmapped(
  mounter: Mounter,
  folders: readonly string[],
  names: string,
  mappings: IdMappings,
  signal: AbortSignal,
): Promise<boolean> {
  const succeeds = async (program: string, args: readonly string[]) => (await mounter.run(program, args, signal)).exitCode === 0;
  const byMount: Bind = (source, target) => succeeds('mount', ['--bind', '-o', idmapOption(mappings), source, target]);
  const maps = [idmapText(mappings.uids), idmapText(mappings.gids)];
  const byPerl: Bind = async (source, target) => {
    const isDone = await succeeds('perl', ['-e', perlProgram, '--', source, target, ...maps]).catch(() => false);
    signal.throwIfAborted();
    return isDone;
  };
  let bind = byMount;
  for (const [index, folder] of folders.entries()) {
    const target = join(names, String(index));
    await mkdir(target);
    let isBound = await bind(folder, target);
    if (index === 0 && isBound && !(await areIdmapped(mounter, names))) {
      // mount(8) before 2.39 ignores the option.
      await mounter.unmount(target, signal);
      bind = byPerl;
      isBound = await bind(folder, target);
    }
    if (!isBound) return false;
  }
  return areIdmapped(mounter, names);
}

async function areIdmapped(mounter: Mounter, names: string): Promise<boolean> {
  const mounts = (await mounter.list()).filter(({ mountPoint }) => isPathWithinBase(mountPoint, names));
  return mounts.every(({ options }) => options.includes('idmapped'));
}

/**
 * The calls of mount(8) 2.39, for the Perl that every Debian has: open_tree(2), mount_setattr(2) with MOUNT_ATTR_IDMAP, move_mount(2). Their numbers are those of
 * all architectures. The user namespace is that of a child, which ends with this program: only a process outside may map ranges of IDs.
 */
const perlProgram = `
use strict;
my ($source, $target, %map) = ($ARGV[0], $ARGV[1], uid_map => $ARGV[2], gid_map => $ARGV[3]);
sub check { $_[0] or die "$_[1]: $!\\n" }
pipe(my $input, my $hold) && pipe(my $ready, my $output) or die;
my $child = fork;
check(defined $child, 'fork');
if ($child == 0) {
  open(STDIN, '<&', $input) && open(STDOUT, '>&', $output) or die;
  exec 'unshare', '--user', 'cat';
}
close $output;
syswrite $hold, '-';
check(sysread($ready, my $answer, 1), 'unshare');
for my $name (keys %map) {
  open(my $file, '>', "/proc/$child/$name") or die "$name: $!\\n";
  check(syswrite($file, $map{$name}), $name);
}
open(my $users, '<', "/proc/$child/ns/user") or die "user namespace: $!\\n";
my $empty = '';
my $tree = syscall(428, -100, $source, 1);
check($tree >= 0, 'open_tree');
check(syscall(442, $tree, $empty, 0x1000, pack('Q4', 0x100000, 0, 0, fileno $users), 32) == 0, 'mount_setattr');
check(syscall(429, $tree, $empty, -100, $target, 4) == 0, 'move_mount');
`;
