// check-package.mjs: writes the packages for operators twice, unpacks them, and uses what is in them: the command with a pod on the embedded
// runtime, the completion in bash, the manual page, the systemd unit, the configuration, checksums and bill of materials.
// man, mandoc and systemd-analyze are used where they are installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buildPackages } from './lib/build.mjs';
import { filesBelow } from './lib/package/file-tree.mjs';
import { packageFolderOf } from './lib/package/runtime-files.mjs';
import { capture, mapParallel } from './lib/parallel.mjs';
import { root } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';

const maxUnpackedMiB = 5.5;
/** The restrictions of the unit that containers would inherit. The drop-in for the OCI runtime removes each of them. */
const inherited = ['NoNewPrivileges', 'CapabilityBoundingSet', 'RestrictNamespaces', 'SystemCallFilter', 'SystemCallArchitectures'].concat([
  'RestrictAddressFamilies',
  'RestrictRealtime',
  'LockPersonality',
]);
const problems = [];
const started = Date.now();
const step = (text) => console.log(`${((Date.now() - started) / 1_000).toFixed(1).padStart(5)} s  ${text}`);
const expect = (holds, problem) => holds || problems.push(problem);

if (!isInstalled('dpkg-deb')) {
  console.log('skipped: packages for operators, because dpkg-deb is missing');
  process.exit(0);
}
setup();
if (!buildPackages({ types: true, names: ['cli'] })) process.exit(1);
const work = mkdtempSync(join(tmpdir(), 'nodeagent-check-package-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const [first, second] = await mapParallel(['first', 'second'], 2, async (name) => {
  const out = join(work, name);
  await succeed(process.execPath, [join(root, 'scripts/package.mjs'), '--out', out]);
  return out;
});
const [sums, otherSums] = [first, second].map((out) => readFileSync(join(out, 'SHA256SUMS'), 'utf8').trim().split('\n'));
const differing = sums.filter((line) => !otherSums.includes(line)).map((line) => line.split('  ')[1]);
expect(differing.length === 0, `two runs wrote different bytes to ${differing.join(', ')}`);
step('packaged twice');

await succeed('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: first });
const { version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'));
const fileOf = (ending) =>
  join(
    first,
    readdirSync(first).find((name) => name.endsWith(ending)),
  );
const debian = join(work, 'debian');
await succeed('dpkg-deb', ['--extract', fileOf('.deb'), debian]);
await succeed('dpkg-deb', ['--control', fileOf('.deb'), join(work, 'control')]);
await succeed('tar', ['--extract', '--gzip', '--file', fileOf('.tar.gz'), '-C', work]);
const prefixes = [join(debian, 'usr'), join(work, `nodeagent-${version}`)];
for (const prefix of prefixes) {
  const printed = await succeed(join(prefix, 'bin/nodeagent'), ['--version']);
  expect(printed === `nodeagent ${version}\n`, `${prefix}/bin/nodeagent --version prints ${printed}`);
}
const [prefix] = prefixes;
const command = join(prefix, 'bin/nodeagent');
checkContent();
checkMaintainerScripts();
checkSbom();
await checkCompletion();
await checkManPage();
await checkUnit();
await succeed(command, ['config', 'validate', join(debian, 'etc/nodeagent/config.yaml')]);
step('unpacked and inspected');
await runPod();
step('ran a pod');

for (const problem of problems) console.error(`check-package: ${problem}`);
console.log(`packages for operators of nodeagent ${version}, ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);

/** The package has what the command needs, and no declarations, documentation, tests or second module format of the project's code. */
function checkContent() {
  const files = filesBelow(join(prefix, 'lib/nodeagent'));
  const needless = files.filter(({ file }) => /\.(d\.[cm]?ts|map|md|ts)$|\.test\.|@nodeagent\/.*\/index\.cjs$/.test(file));
  expect(needless.length === 0, `the package has files that the command does not need: ${needless.map(({ file }) => file).join(', ')}`);
  const bytes = filesBelow(debian).reduce((sum, file) => sum + file.bytes, 0);
  expect(bytes < maxUnpackedMiB * 2 ** 20, `the package takes ${bytes} bytes unpacked, more than ${maxUnpackedMiB} MiB`);
}

function checkMaintainerScripts() {
  const control = join(work, 'control');
  for (const script of ['postinst', 'prerm', 'postrm']) {
    const { status, stderr } = spawnSync('sh', ['-n', join(control, script)], { encoding: 'utf8' });
    expect(status === 0, `${script}: ${stderr}`);
  }
  const configuration = readFileSync(join(control, 'conffiles'), 'utf8').trim().split('\n');
  expect(
    configuration.join() === '/etc/default/nodeagent,/etc/nodeagent/config.yaml' &&
      configuration.every((file) => existsSync(join(debian, file))),
    `conffiles: ${configuration}`,
  );
}

/** The bill of materials has each installed package, and each package whose code is bundled, with version and licence. */
function checkSbom() {
  const text = readFileSync(fileOf('.cdx.json'), 'utf8');
  expect(text === readFileSync(join(prefix, 'share/doc/nodeagent/sbom.cdx.json'), 'utf8'), 'the SBOM in the package is another one');
  const { bomFormat, components } = JSON.parse(text);
  expect(bomFormat === 'CycloneDX', `the format of the SBOM is ${bomFormat}`);
  const lib = join(prefix, 'lib/nodeagent');
  const folders = [...new Set(filesBelow(lib).map(({ file }) => packageFolderOf(file)))];
  const installed = folders.map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(lib, folder, 'package.json'), 'utf8'));
    return `${name}@${version}`;
  });
  const listed = components.map(({ name, version }) => `${name}@${version}`);
  expect(listed.sort().join() === installed.sort().join(), `the SBOM lists ${listed}, and the package has ${installed}`);
  const all = components.flatMap((component) => [component, ...component.components]);
  for (const { name, version, licenses, purl } of all)
    expect(version && licenses?.[0]?.license.id && purl, `the SBOM lists ${name} without version, licence or purl`);
  const copyright = readFileSync(join(prefix, 'share/doc/nodeagent/copyright'), 'utf8');
  for (const { name, version } of all.filter(({ name }) => !name.startsWith('@nodeagent/')))
    expect(copyright.includes(`\n${name} ${version} (`), `the licence of ${name} ${version} is missing in copyright`);
  const bundled = all.filter((component) => !components.includes(component)).map(({ name }) => name);
  for (const name of ['@grpc/grpc-js', 'protobufjs', 'p-queue']) expect(bundled.includes(name), `the SBOM lacks ${name}, which is bundled`);
}

async function checkCompletion() {
  const env = { ...process.env, PATH: `${join(prefix, 'bin')}${delimiter}${process.env.PATH}` };
  const line = 'nodeagent comp';
  const script = [
    'source "$1"',
    'COMP_WORDS=(nodeagent comp)',
    'COMP_CWORD=1',
    `COMP_LINE="$2"`,
    `COMP_POINT=${line.length}`,
    '_nodeagent',
    'echo $COMPREPLY',
  ].join('\n');
  const file = join(prefix, 'share/bash-completion/completions/nodeagent');
  const printed = await succeed('bash', ['--norc', '-c', script, 'bash', file, line], { env });
  expect(printed === 'completion\n', `bash completes "${line}" to ${JSON.stringify(printed)}`);
}

async function checkManPage() {
  const page = join(prefix, 'share/man/man1/nodeagent.1.gz');
  if (isInstalled('man')) {
    const { stdout, stderr } = await capture('man', ['--warnings', '--local-file', page], { env: { ...process.env, MANPAGER: 'cat' } });
    expect(stderr === '', `man warns about the manual page: ${stderr}`);
    expect(/nodeagent run/.test(stdout) && /kubeconfig/.test(stdout), `man shows no "nodeagent run": ${stdout.slice(0, 500)}`);
  } else console.log('not checked: the manual page with man, which is not installed');
  if (isInstalled('mandoc')) await succeed('mandoc', ['-Tlint', '-Wwarning', page]);
}

/** systemd-analyze checks the unit in a folder of units, in which it finds no other ones: those of the machine do not matter. */
async function checkUnit() {
  if (!isInstalled('systemd-analyze')) {
    console.log('not checked: the systemd unit, because systemd-analyze is not installed');
    return;
  }
  const unit = join(work, 'nodeagent.service');
  const text = readFileSync(join(prefix, 'lib/systemd/system/nodeagent.service'), 'utf8');
  writeFileSync(unit, withCommand(text));
  const { stderr, score, restrictions } = await analyzeUnit(unit);
  expect(Number(score) <= 6.5, `systemd-analyze security: exposure ${score} ${stderr}`);
  console.log(`         systemd-analyze security: exposure ${score}`);
  const missing = inherited.filter((option) => !restrictions.has(option));
  expect(missing.length === 0, `the unit has no ${missing.join(', ')}`);

  mkdirSync(`${unit}.d`);
  writeFileSync(join(`${unit}.d`, 'oci.conf'), withCommand(readFileSync(join(prefix, 'share/nodeagent/oci.conf'), 'utf8')));
  const { restrictions: left } = await analyzeUnit(unit);
  const kept = inherited.filter((option) => left.has(option));
  expect(kept.length === 0, `with oci.conf containers inherit ${kept.join(', ')}`);
  const others = [...restrictions].filter((option) => !inherited.includes(option) && !left.has(option));
  expect(others.length === 0, `oci.conf removes ${others.join(', ')}, which containers do not inherit`);
}

/** The unit with the path of the unpacked command. */
function withCommand(text) {
  return text.replace('ExecStart=nodeagent ', `ExecStart=${command} `);
}

/** Checks a unit with its drop-ins. Resolves to its exposure and the options that restrict it, as systemd-analyze reports them. */
async function analyzeUnit(unit) {
  const { status, stderr } = await capture('systemd-analyze', ['verify', '--man=no', unit]);
  expect(status === 0 && stderr === '', `systemd-analyze verify: ${stderr}`);
  const security = await capture('systemd-analyze', ['security', '--offline=yes', '--no-pager', unit]);
  const [, score] = /Overall exposure level for nodeagent.service: ([\d.]+)/.exec(security.stdout) ?? [];
  const lines = security.stdout.split('\n').filter((line) => line.startsWith('✓'));
  return { stderr: security.stderr, score, restrictions: new Set(lines.map((line) => /^✓ ([A-Za-z]+)/.exec(line)?.[1])) };
}

/** The packaged command runs a pod of the examples by the CRI socket of the packaged runtime, which loads all that is loaded late. */
async function runPod() {
  const folder = join(work, 'node');
  const manifests = join(folder, 'manifests');
  mkdirSync(manifests, { recursive: true });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'packaged' } };
  const container = { name: 'main', image: 'host', command: ['sleep', '1000'] };
  writeFileSync(
    join(manifests, 'pod.json'),
    JSON.stringify({ ...pod, spec: { terminationGracePeriodSeconds: 0, containers: [container] } }),
  );
  const socket = join(folder, 'cri.sock');
  const runtime = start('runtime', '--type', 'process', '--socket', socket, '--root-dir', join(folder, 'runtime'));
  await runtime.prints(/serv/);
  const places = ['--root-dir', join(folder, 'root'), '--pod-logs-dir', join(folder, 'logs'), '--manifests', manifests];
  const ports = ['--port', '0', '--healthz-port', '0'];
  const flags = ['--output', 'json', '--node-name', 'check', '--stop-pods-on-exit'];
  const agent = start('run', '--runtime-endpoint', `unix://${socket}`, '--cgroups-per-qos=false', ...places, ...ports, ...flags);
  await agent.prints(/phase Running/);
  for (const { stop } of [agent, runtime]) await stop();
}

function start(...args) {
  const child = spawn(command, args, { timeout: 60_000, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise((resolve) => child.once('close', resolve));
  let output = '';
  const listeners = new Set();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text;
      for (const listener of listeners) listener();
    });
  const seen = (pattern) =>
    new Promise((resolve) => {
      const check = () => pattern.test(output) && resolve(true);
      listeners.add(check);
      check();
    });
  return {
    async prints(pattern) {
      const found = await Promise.race([seen(pattern), exited.then(() => false)]);
      expect(found, `nodeagent ${args[0]} exited without printing ${pattern}:\n${output}`);
    },
    async stop() {
      child.kill('SIGTERM');
      const code = await exited;
      expect(code === 0, `nodeagent ${args[0]} exited with ${code}:\n${output}`);
    },
  };
}

function isInstalled(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** What a command prints. Throws with its output if it fails. */
async function succeed(program, args, options) {
  const { status, stdout, stderr } = await capture(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}
