import { describe, expect, it } from 'vitest';
import { runFlags } from './commands/run-flags.js';
import { commandNames } from './commands.js';
import { main } from './main.js';
import { createTestConsole } from './test-console.js';

async function call(...args: string[]) {
  const { console, stdout, stderr } = createTestConsole();
  const code = await main(args, console);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

describe('help', () => {
  it.each([[['help']], [['--help']], [['-h']], [[]]])('%j names the commands', async (args) => {
    const { code, stdout } = await call(...args);
    expect(code).toBe(0);
    for (const command of ['run', 'pods', 'describe', 'runtime', 'config', 'version', 'help'])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} {2}`, 'm'));
  });

  it.each([
    ['run', 'run', '--help'],
    ['run', 'help', 'run'],
    ['pods', 'pods', '--help'],
    ['pods', 'help', 'pods'],
    ['describe', 'describe', '--help'],
    ['describe', 'help', 'describe'],
    ['runtime', 'runtime', '--help'],
    ['runtime', 'help', 'runtime'],
    ['top', 'top', '--help'],
    ['evict', 'help', 'evict'],
  ])('of %s lists every flag with its default: %s %s', async (command, ...args) => {
    const { code, stdout } = await call(...args);
    expect(code).toBe(0);
    const text = stdout.replace(/\s+/g, ' ');
    expect(text.match(/ --[\w-]+ /g)?.length).toBeGreaterThan(2);
    if (command === 'run') {
      for (const flag of runFlags({}, true)) {
        expect(text).toContain(`--${flag.name}${flag.value ? ` ${flag.value}` : ''} ${flag.help.split(' ')[0]}`);
        if (flag.name !== 'help') expect(`${flag.default ?? ''}${flag.defaultText ?? ''}`).not.toBe('');
        const fallback = flag.defaultText ?? flag.default;
        if (fallback !== undefined) expect(text).toContain(`(default: ${fallback})`);
      }
    }
    expect(text).toContain('Exit codes');
    expect(stdout.split('\n').every((line) => line.length <= 132)).toBe(true);
  });
});

it.each(commandNames)('%s explains itself with -h, as with --help', async (command) => {
  const [short, long] = [await call(command, '-h'), await call(command, '--help')];
  expect(short).toEqual(long);
  expect(short).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('usage: nodeagent ') });
});

describe('invalid usage exits with 2, the error and the help command', () => {
  it.each([
    [['runn'], 'unknown command "runn"; did you mean "run"?', 'see nodeagent --help'],
    [['help', 'rum'], 'unknown command "rum"; did you mean "run"?', 'see nodeagent help --help'],
    [['run', '--manifest', 'x'], 'unknown flag --manifest; did you mean --manifests?', 'see nodeagent run --help'],
    [['run', '--manifests'], '--manifests: a value is required', 'see nodeagent run --help'],
    [['run', '--manifests', '--output', 'log'], '--manifests: a value is required', 'see nodeagent run --help'],
    [['run', '--output', 'jsn'], 'did you mean "json"?', 'see nodeagent run --help'],
    [['runtime'], '--socket: a value is required', 'see nodeagent runtime --help'],
    [['runtime', '--soket', 'x'], 'did you mean --socket?', 'see nodeagent runtime --help'],
    [['runtime', '--socket', '/x', '--log-level', 'loud'], '"loud" is not one of', 'see nodeagent runtime --help'],
    [['config'], 'config: an action is required: validate or print-defaults', 'see nodeagent config --help'],
    [['config', 'valdate', 'x'], 'did you mean "validate"?', 'see nodeagent config --help'],
    [['config', 'validate'], 'config validate: FILE is required', 'see nodeagent config --help'],
    [['config', 'print-defaults', 'x'], 'unexpected argument "x"', 'see nodeagent config --help'],
    [['describe'], 'describe: POD is required', 'see nodeagent describe --help'],
    [['describe', 'a', 'b'], 'unexpected argument "b"', 'see nodeagent describe --help'],
    [['completion', 'bsh'], 'did you mean "bash"?', 'see nodeagent completion --help'],
    [['logs', '-q'], 'unknown flag -q', 'see nodeagent logs --help'],
    [['pods', '-o'], '--output: a value is required', 'see nodeagent pods --help'],
    [['pods', '--output', 'yaml'], '"yaml" is not one of text, json', 'see nodeagent pods --help'],
    [['version', 'x'], 'unexpected argument "x"', 'see nodeagent version --help'],
  ])('%j', async (args, message, hint) => {
    const { code, stdout, stderr } = await call(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });
});

it('prints the version', async () => {
  expect(await call('version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^nodeagent \d+\.\d+\.\d+\n$/) });
});

it('exits with 1 and a hint if its root directory is unusable', async () => {
  const { code, stderr } = await call('run', '--root-dir', '/dev/null/below-a-file');
  expect(code).toBe(1);
  expect(stderr).toContain('error: --root-dir: cannot use /dev/null/below-a-file');
  expect(stderr).toContain('set --root-dir to a writable directory');
});
