// sync-packages.mjs [--check]: gives every package.json under packages/ the fields that all packages share, and every tsconfig with `paths`
// one entry for each subpath. What a package decides itself (description, keywords, dependencies, bin, subpaths other than `decisions`)
// stays. The links to the repository follow from the root package.json. Peer dependencies are optional: what only some uses of a package need. Those of the workspace are there for its build and tests, as
// dev dependencies. --check changes nothing and fails on a difference.
// Both fail if a package has fewer than three specific keywords or no section for its version in CHANGELOG.md.
// It exists because @pnpm/meta-updater takes the same rules as a program of the same length, and syncpack and sherif check versions.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf } from './lib/entries.mjs';
import { root } from './lib/pnpm.mjs';
import { repositoryUrl, webAddressOf } from './lib/repository.mjs';

/** The subpaths of a package: `decisions` if it has that file, and those that its package.json adds. */
function subpathsOf(dir, { name, exports = {} }) {
  const listed = entriesOf({ name, exports }).map((entry) => entry.name);
  return [...new Set([...listed, 'decisions'])].filter((entry) => entry !== 'index' && existsSync(join(dir, 'src', `${entry}.ts`))).sort();
}

/** What `import` and `require` of one entry give. */
const conditionsOf = (entry) => ({
  import: { types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` },
  require: { types: `./dist/${entry}.d.cts`, default: `./dist/${entry}.cjs` },
});

/**
 * Every peer is optional: `@types/node`, where the public types need it, and packages of the workspace that a command loads on demand, which
 * are its devDependencies too.
 */
function peersOf({ peerDependencies, devDependencies }) {
  if (peerDependencies === undefined) return { devDependencies };
  const names = Object.keys(peerDependencies);
  const rangeOf = (name) => {
    if (name === '@types/node') return '>=20';
    // changesets makes a peer that leaves its range a major version of the dependent, which before 1.0 each minor version of the peer would.
    return name.startsWith('@nodeagent/') ? '>=0.1.0 <2' : peerDependencies[name];
  };
  const ofWorkspace = Object.fromEntries(names.filter((name) => name.startsWith('@nodeagent/')).map((name) => [name, 'workspace:^']));
  return {
    peerDependencies: Object.fromEntries(names.map((name) => [name, rangeOf(name)])),
    peerDependenciesMeta: Object.fromEntries(names.map((name) => [name, { optional: true }])),
    devDependencies: names.some((name) => name.startsWith('@nodeagent/')) ? { ...devDependencies, ...ofWorkspace } : devDependencies,
  };
}

/** The keywords that all packages share, then the specific ones. */
function keywordsOf({ name, keywords = [] }) {
  const shared = ['kubernetes', 'kubelet'];
  const own = keywords.filter((word) => !shared.includes(word));
  if (own.length < 3) problems.push(`packages/${name}: package.json needs at least 3 specific keywords`);
  return [...shared, ...own];
}

/** Reports a version without a section in CHANGELOG.md. `changeset version` writes the section, except the one of the first release. */
function checkChangelog({ name, version }) {
  const file = join(root, 'packages', name, 'CHANGELOG.md');
  const isListed = existsSync(file) && readFileSync(file, 'utf8').split('\n').includes(`## ${version}`);
  if (!isListed) problems.push(`packages/${name}: CHANGELOG.md has no section "## ${version}"`);
}

const check = process.argv.includes('--check');
const differing = [];
const problems = [];
const paths = { 'tsconfig.json': [], 'bench/tsconfig.built.json': [] };

/** Writes the file, or only notes the difference. */
function sync(file, after) {
  if (after === readFileSync(join(root, file), 'utf8')) return;
  differing.push(file);
  if (!check) writeFileSync(join(root, file), after);
}

for (const name of readdirSync(join(root, 'packages')).sort()) {
  const dir = join(root, 'packages', name);
  const file = join(dir, 'package.json');
  if (!existsSync(file)) continue;
  const own = JSON.parse(readFileSync(file, 'utf8'));
  const subpaths = subpathsOf(dir, { ...own, name: `@nodeagent/${name}` });
  const version = own.version ?? '0.1.0';
  checkChangelog({ name, version });
  const after = `${JSON.stringify(
    {
      name: `@nodeagent/${name}`,
      version,
      description: own.description,
      keywords: keywordsOf({ ...own, name }),
      homepage: `${webAddressOf(`packages/${name}`)}#readme`,
      bugs: { url: `${repositoryUrl}/issues` },
      repository: { type: 'git', url: `git+${repositoryUrl}.git`, directory: `packages/${name}` },
      license: 'Apache-2.0',
      type: 'module',
      sideEffects: false,
      engines: { node: '>=20.19' },
      // npm adds README.md and package.json, pnpm the LICENSE of the repository.
      files: ['dist', 'CHANGELOG.md'],
      main: './dist/index.cjs',
      module: './dist/index.js',
      types: './dist/index.d.ts',
      // For TypeScript's older module resolution, which does not read `exports`.
      typesVersions:
        subpaths.length > 0 ? { '*': Object.fromEntries(subpaths.map((entry) => [entry, [`./dist/${entry}.d.ts`]])) } : undefined,
      exports: {
        '.': conditionsOf('index'),
        ...Object.fromEntries(subpaths.map((entry) => [`./${entry}`, conditionsOf(entry)])),
        './package.json': './package.json',
      },
      bin: own.bin,
      scripts: { build: 'tsup' },
      dependencies: own.dependencies,
      ...peersOf(own),
      publishConfig: { access: 'public', provenance: true },
    },
    null,
    2,
  )}\n`;
  sync(`packages/${name}/package.json`, after);
  for (const entry of subpaths) {
    paths['tsconfig.json'].push([`@nodeagent/${name}/${entry}`, `./packages/${name}/src/${entry}.ts`]);
    paths['bench/tsconfig.built.json'].push([`@nodeagent/${name}/${entry}`, `../packages/${name}/dist/${entry}.js`]);
  }
}

/** An entry of `paths`, wrapped as the formatter does with lines of more than 100 characters. */
function pathLine([id, path]) {
  const line = `      "${id}": ["${path}"]`;
  return line.length + ','.length <= 100 ? `\n${line}` : `\n      "${id}": [\n        "${path}"\n      ]`;
}

// One entry each, no pattern: the resolver of dependency-cruiser does not match `@nodeagent/*/decisions`.
const indexes = { 'tsconfig.json': './packages/*/src/index.ts', 'bench/tsconfig.built.json': '../packages/*/dist/index.js' };
for (const [file, subpaths] of Object.entries(paths)) {
  const lines = [...subpaths, ['@nodeagent/*', indexes[file]]].map(pathLine);
  sync(file, readFileSync(join(root, file), 'utf8').replace(/"paths": \{[^}]*\}/, `"paths": {${lines.join(',')}\n    }`));
}

for (const file of differing) console.log(`${check ? 'differs' : 'written'}: ${file}`);
for (const problem of problems) console.error(problem);
if (check && differing.length > 0) console.error('run `npm run sync-packages` and commit the result');
process.exit(problems.length > 0 || (check && differing.length > 0) ? 1 : 0);
