import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCommand } from './run-command.js';

const folder = mkdtempSync(join(tmpdir(), 'envtest-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: string[], isTerminal = false) {
  const written = { out: '', err: '' };
  const code = runCommand(args, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    isTerminal,
    version: '1.2.3',
  });
  return { code, ...written };
}

it('writes the programs, and prints the folder alone', () => {
  const dir = join(folder, 'assets');
  expect(run(['--dir', dir])).toEqual({ code: 0, out: `${dir}\n`, err: '' });
  for (const name of ['kube-apiserver', 'etcd', 'kubectl']) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o755);
  expect(run(['--dir', dir], true).err).toContain(`export KUBEBUILDER_ASSETS='${dir}'`);
});

it.each([
  [['--with-nodes', '0'], 2, '--with-nodes must be a number from 1 to 9999, not "0"'],
  [['--nothing'], 2, 'usage: envtest'],
  [['--dir', '/dev/null/assets'], 1, '/dev/null/assets'],
])('reports wrong arguments: %j', (args, code, message) => {
  expect(run(args)).toEqual({ code, out: '', err: expect.stringContaining(message) });
});

it('prints its version and its flags', () => {
  expect(run(['--version']).out).toBe('envtest 1.2.3\n');
  expect(run(['-h']).out).toContain('--with-nodes N');
});
