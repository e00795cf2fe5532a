// vm.mjs VMLINUZ: boots a machine with cgroup v2 under qemu and runs the checks in it; exits with 0 if every check holds.
// What it needs is in docs/cgroup-v2.md.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [kernel] = process.argv.slice(2);
if (kernel === undefined) {
  console.error('usage: node tests/e2e/cgroup-v2/vm.mjs VMLINUZ');
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const packages = join(here, '..', '..', '..', 'packages');
const work = mkdtempSync(join(tmpdir(), 'nodeagent-vm-'));
const root = join(work, 'root');

/** The libraries that a program is linked with, its loader among them. */
function libraries(program) {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path);
}

function add(path, target = path) {
  mkdirSync(dirname(join(root, target)), { recursive: true });
  copyFileSync(path, join(root, target));
}

try {
  for (const folder of ['proc', 'sys', 'dev', 'bin', 'tmp']) mkdirSync(join(root, folder), { recursive: true });
  add('/bin/busybox');
  add(process.execPath, '/bin/node');
  for (const library of libraries(process.execPath)) add(library);
  add(join(here, 'init.sh'), '/init');
  for (const check of ['check.mjs', 'check-container-manager.mjs']) add(join(here, check), `/app/${check}`);
  for (const name of ['api', 'stats', 'cgroups', 'container-manager']) {
    const target = `/app/node_modules/@nodeagent/${name}`;
    add(join(packages, name, 'package.json'), `${target}/package.json`);
    cpSync(join(packages, name, 'dist'), join(root, target, 'dist'), { recursive: true });
  }
  const archive = join(work, 'initrd');
  chmodSync(join(root, 'init'), 0o755);
  const input = readdirSync(root, { recursive: true }).join('\n');
  execFileSync('cpio', ['--quiet', '--create', '--format=newc', `--file=${archive}`], { cwd: root, input });
  const machine = ['-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '2', '-m', '1536', '-no-reboot'];
  const output = ['-display', 'none', '-monitor', 'none', '-serial', `file:${join(work, 'log')}`];
  const boot = ['-kernel', kernel, '-initrd', archive, '-append', 'console=ttyS0 quiet panic=-1 psi=1'];
  const { error } = spawnSync('qemu-system-x86_64', [...machine, ...output, ...boot], { timeout: 300_000, stdio: 'inherit' });
  if (error !== undefined) console.error(`qemu: ${error.message}`);
  const log = readFileSync(join(work, 'log'), 'utf8');
  console.log(log.trim());
  process.exitCode = log.includes('checks ended with 0 and 0') ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
