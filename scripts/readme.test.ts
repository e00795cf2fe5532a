import { describe, expect, it } from 'vitest';
import { commonJsOf, esModuleOf } from './lib/example-formats.mjs';
import { examplesOf, installedBy } from './lib/readme.mjs';

const readme = (...blocks: [language: string, text: string][]) =>
  ['# Title', ...blocks.map(([language, text]) => `\`\`\`${language}\n${text}\n\`\`\``)].join('\n\n');

describe('examplesOf', () => {
  it('takes each ts block with the first text block before the next one', () => {
    const markdown = readme(
      ['', 'npm install x'],
      ['text', 'before'],
      ['ts', 'console.log(1)'],
      ['text', '1'],
      ['text', 'not of the example'],
      ['ts', 'silent()'],
      ['ts', 'other()'],
      ['text', '2'],
    );
    expect(examplesOf(markdown).examples).toEqual([
      { code: 'console.log(1)\n', output: '1\n' },
      { code: 'silent()\n', output: '' },
      { code: 'other()\n', output: '2\n' },
    ]);
  });

  it('reads the reason of a mark above a block', () => {
    const markdown = `${readme(['ts', 'f()'], ['text', '1'])}\n\n<!-- not run: needs a cluster -->\n\`\`\`ts\ng();\n\`\`\`\n`;
    expect(examplesOf(markdown).examples?.map(({ notRun }) => notRun)).toEqual([undefined, 'needs a cluster']);
  });

  it('names what is missing', () => {
    expect(examplesOf(readme(['', 'npm install x'])).problem).toMatch(/no ```ts block/);
    expect(examplesOf(readme(['text', '1'], ['ts', 'f()'])).problem).toMatch(/no ```text block/);
    expect(examplesOf(`<!-- not run: lazy -->\n${readme(['ts', 'f()'], ['text', '1']).slice('# Title\n\n'.length)}`).problem).toMatch(
      /that runs/,
    );
  });

  it('takes an empty output', () => {
    expect(examplesOf('```ts\nf();\n```\n\n```text\n```\n').examples).toEqual([{ code: 'f();\n', output: '' }]);
  });
});

describe('installedBy', () => {
  it('takes the packages of all install commands', () => {
    const markdown = readme(['', 'npm install @nodeagent/a'], ['console', '$ npm install --save-dev @nodeagent/b @nodeagent/a']);
    expect(installedBy(`${markdown}\n\n\`npm install @nodeagent/c\``)).toEqual(['@nodeagent/a', '@nodeagent/b']);
  });
});

describe('commonJsOf', () => {
  const code = (...lines: string[]) => lines.join('\n');

  it('requires what the example imports', async () => {
    const example = code(
      `import { join as joined, type ParsedPath } from 'node:path';`,
      `import * as os from 'node:os';`,
      `import fs, { existsSync } from 'node:fs';`,
      `import 'node:url';`,
      `const path: ParsedPath | string = joined('a', 'b');`,
      `console.log(path, os, fs, existsSync, await 1);`,
    );
    const required = await commonJsOf(example);
    expect(required).not.toMatch(/^import /m);
    const printed: unknown[] = [];
    const ids: string[] = [];
    const modules: Record<string, unknown> = {
      'node:path': { join: (...parts: string[]) => parts.join('/') },
      'node:os': 'the os',
      'node:fs': { existsSync: 'exists', default: 'the fs' },
    };
    const load = (id: string) => {
      ids.push(id);
      return modules[id] ?? {};
    };
    await new Function('require', 'console', `return ${required}`)(load, { log: (...args: unknown[]) => printed.push(...args) });
    expect(printed).toEqual(['a/b', 'the os', 'the fs', 'exists', 1]);
    expect([...new Set(ids)]).toEqual(['node:path', 'node:os', 'node:fs', 'node:url']);
  });

  it('refuses an example that exports something', async () => {
    await expect(commonJsOf('export const a = 1;')).rejects.toThrow(/exports/);
  });
});

describe('esModuleOf', () => {
  it('leaves out types only', async () => {
    expect(await esModuleOf(`import { type A, b } from 'c';\nconst a: A = b();\nawait a;`)).toBe(
      'import { b } from "c";\nconst a = b();\nawait a;\n',
    );
  });
});
