// Installs the command alone, as its users do: the packages for tests must not come with it, what needs none of them must run, and what
// needs one must print the command that installs it, and run after that. pnpm links optional peers in the workspace, so only this check runs without
// them.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from '../lib/parallel.mjs';

const forTests = ['memory-runtime', 'test-api-server', 'test-cluster', 'testing'];

/** Returns what is wrong. `tarballs` has the file of each package by its name. */
export async function checkOptionalPeers(folder, tarballs) {
  mkdirSync(folder);
  const overrides = Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [`@nodeagent/${name}`, `file:${file}`]));
  const bin = join(folder, 'node_modules', '@nodeagent', 'cli', 'dist', 'bin.js');
  const call = (...args) => capture(process.execPath, [bin, ...args], { cwd: folder, timeoutMs: 60_000 });
  const install = (...names) => {
    const dependencies = Object.fromEntries(names.map((name) => `@nodeagent/${name}`).map((name) => [name, overrides[name]]));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'command-alone', private: true, dependencies, overrides }));
    return capture('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
  };

  const alone = await install('cli');
  if (alone.status !== 0) return [`npm install of the command alone failed\n${alone.stderr}`];
  const problems = forTests
    .filter((name) => existsSync(join(folder, 'node_modules', '@nodeagent', name)))
    .map((name) => `the command brings @nodeagent/${name}`);
  for (const args of [['--version'], ['run', '--help'], ['simulate-cluster', '--help']]) {
    const { status, stderr } = await call(...args);
    if (status !== 0) problems.push(`nodeagent ${args.join(' ')} alone ended with ${status}\n${stderr}`);
  }
  const { status, stderr } = await call('simulate-cluster');
  if (status !== 1 || !stderr.includes('npm install @nodeagent/test-cluster'))
    problems.push(`nodeagent simulate-cluster alone exited with ${status} and does not name the package to install\n${stderr}`);

  const together = await install('cli', 'test-cluster');
  if (together.status !== 0) return [...problems, `npm install of the command with test-cluster failed\n${together.stderr}`];
  const simulated = spawn(process.execPath, [bin, 'simulate-cluster', '--nodes', '1'], { cwd: folder, timeout: 60_000 });
  let printed = '';
  for (const stream of [simulated.stdout, simulated.stderr])
    stream.on('data', (text) => {
      printed += text;
      if (printed.includes('simulated cluster of 1 nodes')) simulated.kill();
    });
  const code = await new Promise((resolve) => simulated.once('close', resolve));
  if (code !== 0) problems.push(`nodeagent simulate-cluster with test-cluster ended with ${code}\n${printed}`);
  return problems;
}
