// sync-packages.mjs [--check]: gives every package.json under packages/ the fields that all packages share.
// What a package decides itself (description, keywords, dependencies, bin) stays. --check changes nothing and fails on a difference.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/pnpm.mjs';

const check = process.argv.includes('--check');
const differing = [];

for (const name of readdirSync(join(root, 'packages')).sort()) {
  const file = join(root, 'packages', name, 'package.json');
  if (!existsSync(file)) continue;
  const before = readFileSync(file, 'utf8');
  const own = JSON.parse(before);
  const after = `${JSON.stringify(
    {
      name: `@nodeagent/${name}`,
      version: own.version ?? '0.1.0',
      description: own.description,
      keywords: ['kubernetes', 'kubelet', ...(own.keywords ?? []).filter((word) => !['kubernetes', 'kubelet'].includes(word))],
      license: 'Apache-2.0',
      type: 'module',
      sideEffects: false,
      engines: { node: '>=20.19' },
      files: ['dist'],
      main: './dist/index.cjs',
      module: './dist/index.js',
      types: './dist/index.d.ts',
      exports: {
        '.': {
          import: { types: './dist/index.d.ts', default: './dist/index.js' },
          require: { types: './dist/index.d.cts', default: './dist/index.cjs' },
        },
        './package.json': './package.json',
      },
      bin: own.bin,
      scripts: { build: 'tsup' },
      dependencies: own.dependencies,
      peerDependencies: own.peerDependencies,
      publishConfig: { access: 'public' },
    },
    null,
    2,
  )}\n`;
  if (after === before) continue;
  differing.push(`packages/${name}/package.json`);
  if (!check) writeFileSync(file, after);
}

for (const file of differing) console.log(`${check ? 'differs' : 'written'}: ${file}`);
if (check && differing.length > 0) {
  console.error('run `npm run sync-packages` and commit the result');
  process.exit(1);
}
