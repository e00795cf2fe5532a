import { describe, expect, it } from 'vitest';
import { commonJsOf, esModuleOf } from './lib/example-formats.mjs';
import { stepsOf } from './lib/page-steps.mjs';
import { problemOf, programsOf } from './lib/readme.mjs';

const page = (...blocks: [language: string, text: string][]) =>
  blocks.map(([language, text]) => `\`\`\`${language}\n${text}\n\`\`\`\n`).join('\n');

describe('problemOf', () => {
  it('names what is missing', () => {
    expect(problemOf(page(['', 'npm install x']))).toMatch(/no ```ts block/);
    expect(problemOf(page(['text', '1'], ['ts', 'f()']))).toMatch(/no ```text block/);
    expect(problemOf(`<!-- not run: lazy -->\n${page(['ts', 'f()'], ['text', '1'])}`)).toMatch(/that runs/);
  });

  it('accepts an example without output if the page shows the empty output', () => {
    expect(problemOf('```ts\nf();\n```\n\n```text\n```\n')).toBeUndefined();
  });
});

describe('programsOf', () => {
  it('gives each program the text block before the next block of code', () => {
    const markdown = page(
      ['', 'npm install x'],
      ['text', 'before'],
      ['ts', 'console.log(1)'],
      ['text', '1'],
      ['text', 'not of the example'],
      ['ts', 'silent()'],
      ['ts', 'other()'],
      ['text', '2'],
    );
    expect(programsOf(markdown)).toEqual([
      { kind: 'program', code: 'console.log(1)\n', output: '1\n' },
      { kind: 'program', code: 'silent()\n' },
      { kind: 'program', code: 'other()\n', output: '2\n' },
    ]);
  });

  it('includes programs that are not run, with the reason, but no quoted code', () => {
    const markdown = page(['ts packages/a/src/b.ts#c', 'c()'], ['ts examples/a/main.ts', 'd()']);
    expect(programsOf(`<!-- not run: needs a cluster -->\n${page(['ts', 'g();'])}${markdown}`)).toEqual([
      { code: 'g();\n', notRun: 'needs a cluster' },
    ]);
  });
});

describe('stepsOf', () => {
  it('reads commands and their output from a session', () => {
    expect(stepsOf(page(['console', '$ a \\\n  b\nshown\n$ cat <<EOF\ntext\nEOF\n$ c']))).toEqual([
      { kind: 'commands', script: 'a \\\n  b\ncat <<EOF\ntext\nEOF\nc\n', output: 'shown\n' },
    ]);
  });

  it('takes the text block after commands as their output unless it is marked', () => {
    expect(stepsOf(page(['console', '$ a'], ['text', '1']))).toMatchObject([{ script: 'a\n', output: '1\n' }]);
    const [step] = stepsOf(`${page(['console', '$ a'])}\n\n<!-- not compared: times differ -->\n${page(['text', '1'])}`);
    expect(step).toMatchObject({ script: 'a\n', output: undefined });
  });

  it('reads blocks in lists, and leaves commands of root out', () => {
    const list = `1. Text:\n\n   <!-- not run: why -->\n   \`\`\`console\n   $ a\n   \`\`\`\n\n   \`\`\`sh\n   b \\\n     c\n   \`\`\`\n`;
    expect(stepsOf(list)).toMatchObject([
      { kind: 'skip', reason: 'why' },
      { kind: 'commands', script: 'b \\\n  c\n' },
    ]);
    expect(stepsOf(page(['console', '# a\n$ b']))).toMatchObject([{ kind: 'skip', reason: 'commands of root' }]);
  });

  it('runs marked commands in the background', () => {
    expect(stepsOf(`<!-- background: is ready -->\n${page(['console', '$ serve'])}`)).toMatchObject([
      { script: 'serve\n', ready: 'is ready' },
    ]);
  });

  it('writes files, checks manifests and leaves out quotes', () => {
    const markdown = page(
      ['ts examples/a/src/main.ts', 'a'],
      ['yaml pods/a.yaml', 'b'],
      ['json', '{}'],
      ['ts packages/a/b.ts#c', 'c'],
      ['mermaid', 'd'],
    );
    expect(stepsOf(markdown)).toEqual([
      { kind: 'file', path: 'src/main.ts', text: 'a\n' },
      { kind: 'file', path: 'pods/a.yaml', text: 'b\n' },
      { kind: 'manifest', text: 'b\n' },
      { kind: 'manifest', text: '{}\n' },
      { kind: 'quote' },
    ]);
  });

  it('reports blocks of a language without a check', () => {
    expect(stepsOf(page(['ini', 'a=1']))).toMatchObject([{ kind: 'skip', reason: 'ini has no check' }]);
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
