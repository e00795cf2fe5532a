import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { overBudget, sizeOf } from './footprint.mjs';
import { packagesWithNodeTypes } from './node-types.mjs';

const consumer = mkdtempSync(join(tmpdir(), 'footprint-'));
afterEach(() => rmSync(consumer, { recursive: true, force: true }));

function write(path: string, content: string | object): void {
  const file = join(consumer, 'node_modules', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content).padEnd(1000));
}

describe('sizeOf', () => {
  it('counts a package with what it brings, nested or not, without optional peers', () => {
    write('@nodeagent/a/package.json', {
      dependencies: { b: '1', c: '1' },
      peerDependencies: { d: '1', '@types/node': '>=20' },
      peerDependenciesMeta: { '@types/node': { optional: true } },
    });
    write('@nodeagent/a/dist/index.js', 'x'.repeat(2000));
    write('@nodeagent/a/node_modules/b/package.json', { name: 'b', scripts: { postinstall: 'node build.js' } });
    write('b/package.json', { name: 'not this version', dependencies: { e: '1' } });
    write('c/package.json', { name: 'c', dependencies: { d: '1' } });
    write('d/package.json', { name: 'd' });
    expect(sizeOf(consumer, '@nodeagent/a')).toEqual({ packages: 4, kB: 6, installScripts: ['b'] });
  });
});

describe('overBudget', () => {
  const loaded = { ms: 10, rssMB: 5 };
  const footprint = { packages: 2, kB: 100, installScripts: [], import: loaded, require: loaded };
  const budget = { packages: 2, kB: 100, ms: 10, rssMB: 5 };

  it('reports no problem for packages within their limits', () => {
    expect(overBudget({ a: footprint }, { a: budget })).toEqual([]);
  });

  it('names each limit that is passed, packages without a budget and budgets without a package', () => {
    const over = { ...footprint, packages: 3, kB: 101, installScripts: ['b'], require: { ms: 11, rssMB: 5.1 } };
    expect(overBudget({ a: over, c: footprint }, { a: budget, d: budget })).toEqual([
      'd: has a budget, but is no package',
      'a: installs 3 packages, at most 2 are allowed',
      'a: installs 101 kB, at most 100 are allowed',
      'a: installs b, which has an install script',
      'a: its require takes 11 ms, at most 10 are allowed',
      'a: its require takes 5.1 MB, at most 5 are allowed',
      'c: has no budget',
    ]);
  });
});

describe('packagesWithNodeTypes', () => {
  it('finds what declarations name of Node, also by way of another package, and not what comments name', () => {
    const packages = {
      api: '/** A Buffer. */ export type A = 1;',
      tls: "import { Socket } from 'node:net';",
      a: "import '@nodeagent/tls';",
    };
    for (const [name, text] of Object.entries(packages)) write(`@nodeagent/${name}/dist/index.d.ts`, text);
    const entries = Object.keys(packages).map((name) => ({ manifest: { name: `@nodeagent/${name}` } }));
    expect([...packagesWithNodeTypes(consumer, entries)].sort()).toEqual(['@nodeagent/a', '@nodeagent/tls']);
  });
});
