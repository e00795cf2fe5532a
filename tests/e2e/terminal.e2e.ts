import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { command } from '../support/agent/agent-process.js';
import { createWorkspace, shellPod } from '../support/agent/workspace.js';
import { run } from '../support/debian-package.js';
import { until } from '../support/until.js';

const longName = 'payments-api-with-a-rather-long-name-5d78c9869d-abcde';

beforeAll(() => {
  if (spawnSync('tmux', ['-V']).status !== 0) run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'tmux']);
});

/** A terminal of tmux that runs a command, on a separate server. */
function openTerminal(columns: number, rows: number, words: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-tmux-'));
  const tmux = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('tmux', ['-S', join(folder, 'socket'), '-f', '/dev/null', ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`tmux ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const quoted = words.map((word) => `'${word}'`).join(' ');
  tmux('new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, `NO_COLOR=1 LANG=C.UTF-8 ${quoted}; echo "exit code $?"; exec sleep 60`);
  onTestFinished(() => {
    spawnSync('tmux', ['-S', join(folder, 'socket'), 'kill-server']);
    rmSync(folder, { recursive: true });
  });
  const lines = () => tmux('capture-pane', '-p').split('\n').slice(0, -1);
  return {
    lines,
    /** Whether the terminal shows the alternate screen. */
    isAlternate: () => tmux('display-message', '-p', '#{alternate_on}').trim() === '1',
    press: (...keys: string[]) => void tmux('send-keys', ...keys),
    resize: (width: number, height: number) => void tmux('resize-window', '-x', `${width}`, '-y', `${height}`),
    /** The lines once one of them matches. */
    async shows(pattern: RegExp) {
      await until(`${pattern}`, async () => lines().some((line) => pattern.test(line))).catch((error) => {
        throw new Error(`${error.message}; the terminal shows:\n${lines().join('\n')}`);
      });
      return lines();
    },
  };
}

it('is an interactive list: the keys, a long name, a resize, and the terminal as it was at the end', async () => {
  const work = createWorkspace();
  onTestFinished(() => work.remove());
  const untilSignal = 'trap "exit 0" TERM; echo started; sleep infinity & wait $!';
  work.write('long.yaml', shellPod(longName, untilSignal));
  work.write('crash.yaml', shellPod('crash', 'sleep 0.5; exit 3'));
  work.write('typo.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: typo}\nspec: {containers: [{name: c}]}\n');
  const terminal = openTerminal(100, 20, [process.execPath, command, 'run', ...work.flags]);

  const first = await terminal.shows(/^. default\/crash-e2e +0\/1 +CrashLoopBackOff .* in \d+s: main/);
  expect(first[0]).toMatch(/^node e2e · .* · 2 pods, 1 healthy$/);
  expect(first.findIndex((line) => line.includes('typo.yaml'))).toBeLessThan(first.findIndex((line) => line.includes('payments')));
  expect(first.find((line) => line.includes('payments'))).toMatch(/^ {2}default\/payments-\S*…\S*-e2e +1\/1 +Running +0 /);
  expect(terminal.isAlternate()).toBe(true);

  terminal.press('/');
  terminal.press('payments', 'Enter');
  await terminal.shows(/^filter "payments": 1 of 3 rows/);
  terminal.press('l');
  expect((await terminal.shows(/^started$/))[0]).toBe(`logs default/${longName}-e2e`);
  terminal.press('q');
  await terminal.shows(/^filter/);
  terminal.press('e');
  await until('the shell', async () => !terminal.isAlternate());
  terminal.press('cat -v', 'Enter');
  // The shell has the keys of the list, too.
  terminal.press('q', 'Up', 'Enter');
  await terminal.shows(/^q\^\[[[O]A$/);
  terminal.press('C-d');
  terminal.press('echo in the $((40 + 2))nd shell; exit 7', 'Enter');
  await terminal.shows(/^exit code 7 of the shell in default\/payments/);
  terminal.press('Enter');
  expect((await terminal.shows(/^Name: +payments/))[0]).toBe(`describe default/${longName}-e2e`);
  terminal.press('q');
  await terminal.shows(/^filter/);
  terminal.press('/');
  terminal.press('C-h', 'Escape');
  terminal.press('s');
  await terminal.shows(/ {2}s sort: name$/);

  terminal.resize(44, 12);
  const narrow = await terminal.shows(/^q quit {2}\? help {2}Enter describe {2}l logs$/);
  expect(narrow).toHaveLength(12);
  expect(narrow.some((line) => /^ {2}POD +READY +STATUS$/.test(line))).toBe(true);
  terminal.press('?');
  expect((await terminal.shows(/^any key: back$/)).map((line) => line.trimEnd())).toEqual([
    'Keys',
    '',
    'up, down, j, k   select a row; PgUp, PgDn, …',
    'Enter            describe the pod, or show …',
    'l                follow the log of the pod',
    'e                run a shell in the pod',
    's                next order: health, name, …',
    '/                show only rows with a text…',
    'q, Ctrl-C        quit',
    '',
    '',
    'any key: back',
  ]);
  terminal.press('x', 'q');
  terminal.resize(100, 20);
  await terminal.shows(/^exit code 0$/);
  expect(terminal.isAlternate()).toBe(false);
  expect(terminal.lines().some((line) => /all pods have stopped$/.test(line))).toBe(true);
});

it('runs one pod in the foreground with its ConfigMap, output and exit code, and leaves nothing', () => {
  const work = createWorkspace();
  onTestFinished(() => work.remove());
  const settings = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {LEVEL: debug}\n';
  const envFrom = '      envFrom: [{configMapRef: {name: settings}}]\n';
  work.write('job.yaml', `${shellPod('job', 'echo "level $LEVEL"; echo failed >&2; exit 7')}${envFrom}---\n${settings}`);
  const [, , , , ...flags] = work.flags;
  const words = ['run', join(work.manifests, 'job.yaml'), '--once', '--runtime-endpoint', 'process', ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...words], { encoding: 'utf8', timeout: 60_000 });
  expect({ status, stdout, stderr }).toEqual({ status: 7, stdout: 'level debug\n', stderr: 'failed\n' });
  expect(work.podFolders()).toEqual([]);
});
