import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandNames } from './commands.js';
import { main } from './main.js';
import { createTestConsole } from './test-console.js';

async function print(...args: string[]): Promise<string> {
  const { console, stdout } = createTestConsole();
  expect(await main(args, console)).toBe(0);
  return stdout.text;
}

/** The completions without their descriptions. */
const complete = async (...words: string[]) =>
  (await print('__complete', ...words)).split('\n').flatMap((line) => line.split('\t')[0] || []);

describe('completion', () => {
  it.each<[string[], string[]]>([
    [[''], commandNames],
    [['si'], ['simulate-cluster']],
    [
      ['help', 'e'],
      ['exec', 'events', 'evict'],
    ],
    [['logs', '--f'], ['--follow']],
    [
      ['pods', '--output', ''],
      ['text', 'json'],
    ],
    [['pods', '-o', 'j'], ['json']],
    [['pods', '--output=j'], ['--output=json']],
    [['run', '--log-level', 'w'], ['warn']],
    [['config', 'v'], ['validate']],
    [
      ['image', 'p'],
      ['pull', 'prune'],
    ],
    [['image', 'pull', '--pl'], ['--platform']],
    [
      ['image', 'list', '-o', ''],
      ['text', 'json'],
    ],
    [['image', 'rm', '--root', '/nonexistent', ''], []],
    [['config', 'validate', ''], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['run', '--manifests', ''], []],
    [['exec', 'web', '--', '--'], []],
    [['nonsense', ''], []],
    [['version', ''], []],
  ])('%j: %j', async (words, candidates) => {
    expect(await complete(...words)).toEqual(candidates);
  });

  it('describes each candidate', async () => {
    expect(await print('__complete', 'top', '--h')).toBe('--help\tshow this text.\n');
  });

  it('offers nothing if no agent answers', async () => {
    expect(await complete('describe', '--root-dir', '/nonexistent', '')).toEqual([]);
  });

  it('completes in a real bash, also after "="', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'nodeagent-completion-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    writeFileSync(join(dir, 'completion.bash'), await print('completion', 'bash'));
    // Answers as the command does, and records its arguments.
    writeFileSync(
      join(dir, 'nodeagent'),
      `#!/bin/bash\nprintf '%s|' "$@" > ${dir}/asked\n[ "$3" = --output=j ] && answer=--output=json || answer=pods\nprintf '%s\\tdescribed\\n' "$answer"\n`,
    );
    chmodSync(join(dir, 'nodeagent'), 0o755);
    const bash = (line: string, words: string) => {
      const script = `source ${dir}/completion.bash; COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMP_LINE='${line}'; COMP_POINT=${line.length}; _nodeagent; printf '%s ' "\${COMPREPLY[@]}"; cat ${dir}/asked`;
      return spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env: { PATH: `${dir}:${process.env.PATH}` } });
    };
    expect(bash('nodeagent po', 'nodeagent po')).toMatchObject({ stderr: '', stdout: 'pods __complete|po|' });
    // Bash has made three words of the last one.
    expect(bash('nodeagent pods --output=j', 'nodeagent pods --output = j')).toMatchObject({
      stderr: '',
      stdout: 'json __complete|pods|--output=j|',
    });
  });
});
