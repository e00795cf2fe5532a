import { describe, expect, it } from 'vitest';
import { measurementProblems } from './measurements.mjs';

const repository = { scripts: ['bench', 'simulate', 'test'], hasBenchmark: (name: string) => name === 'pleg' };
const problemsOf = (text: string) => measurementProblems('p.md', text, repository);

describe('measurements', () => {
  it('accepts sections that name their command, and sections without measurements', () => {
    expect(problemsOf('## A\n`npm run bench -- --only pleg`: 3 ms\n## B\nA rule with 3 parts.\n## C\n`npm test` takes 3 s.')).toEqual([]);
  });

  it.each(['It takes 3 ms.', '| RSS | 66 MiB |', '0.1 % of a core', '(1.3 times the CPU)', '1,351 MiB'])(
    'reports %s without a command',
    (body) => {
      expect(problemsOf(`# Page\n\n## Section\n\n${body}`)).toEqual([
        'p.md:3: the section "Section" has measurements, but names no command that produces them',
      ]);
    },
  );

  it('reports commands that do not exist', () => {
    expect(problemsOf('## A\n`npm run measure`: 3 ms\n## B\n`npm run bench -- --only missing`: 3 ms')).toEqual([
      'p.md:1: the section "A" names "npm run measure", but package.json has no script "measure"',
      'p.md:3: the section "B" names "npm run bench -- --only missing", but there is no bench/missing.ts',
    ]);
  });

  it('takes no comment of a code block for a heading', () => {
    expect(problemsOf('## A\n```console\n# npm run bench\n```\n3 ms')).toEqual([]);
  });
});
