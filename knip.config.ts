import { readdirSync, readFileSync } from 'node:fs';
import type { KnipConfig } from 'knip';
import { entriesOf } from './scripts/lib/entries.mjs';

const packages = readdirSync('packages').map((name) => `packages/${name}`);
const entryOf = (dir: string) => entriesOf(JSON.parse(readFileSync(`${dir}/package.json`, 'utf8'))).map(({ source }) => source);

/** Programs that scripts start by their paths, and modules of scripts for browsers. */
const programs: Readonly<Record<string, string[]>> = {
  'packages/envtest': ['src/{bin,kube-apiserver,etcd,kubectl}.ts'],
  'packages/node-page': ['src/browser/*.ts'],
};

/** Finds files, exports and dependencies that are not used. An export of a package's entry counts as used. */
const config: KnipConfig = {
  workspaces: {
    '.': {
      entry: ['scripts/**/*.mjs', 'scripts/smoke/*.cjs', 'bench/**/*.{ts,mjs}', 'examples/**/*.ts', 'tests/**/*.{ts,mjs}'],
      project: ['scripts/**/*.mjs'],
    },
    docs: {
      entry: ['playground/worker.ts', 'playground/view/app.ts', 'playground/**/*.{data,test}.ts'],
      project: ['.vitepress/**/*.mts', 'playground/**/*.ts'],
    },
    ...Object.fromEntries(packages.map((dir) => [dir, { entry: [...entryOf(dir), ...(programs[dir] ?? [])], project: ['src/**/*.ts'] }])),
  },
  exclude: ['binaries'],
  // Started by their paths: the code generator of the protocols, and the compiler that has its command's name in common with TypeScript 5.
  ignoreDependencies: ['protobufjs-cli'],
  ignoreIssues: {
    // Tests use the sources of other packages, by the paths of tsconfig.json; declared dependencies would be cycles.
    'packages/*/src/**/{*.test,*.test-d,*.fixture,test-*}.ts': ['unlisted'],
    // Used by the generated codec, which git ignores, and knip with it.
    'packages/cri-client/src/{method,wire}.ts': ['exports', 'types'],
    // scripts/lib/declarations.mjs checks what is built.
    'packages/*/dist/**': ['unlisted'],
  },
};

export default config;
