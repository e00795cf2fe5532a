import { expect, it } from 'vitest';
import { entriesWithNode } from './imports-reporter.mjs';

const file = (source: string, ...dependencies: [resolved: string, ...types: string[]][]) => ({
  source,
  dependencies: dependencies.map(([resolved, ...dependencyTypes]) => ({ resolved, dependencyTypes })),
});

it('prints the shortest chain of loaded files from an entry to a module of Node', () => {
  const modules = [
    file('index.ts', ['a.ts', 'local'], ['b.ts', 'local']),
    file('a.ts', ['c.ts', 'local'], ['index.ts', 'local']),
    file('b.ts', ['fs', 'core', 'import']),
    file('c.ts', ['net', 'core']),
    file('decisions.ts', ['b.ts', 'local', 'type-only'], ['d.ts', 'npm']),
  ];
  expect(entriesWithNode(modules, ['index.ts', 'decisions.ts', 'absent.ts'])).toEqual([
    'runs-without-node: index.ts →\n    b.ts →\n    node:fs',
  ]);
});
