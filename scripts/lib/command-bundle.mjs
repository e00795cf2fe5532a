import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { builtinsWithoutFacade } from './builtins-without-facade.mjs';
import { thirdPartyNotices } from './third-party-notices.mjs';

/**
 * Builds the command of the package in the working folder: `src/bin.ts` with all that it imports, as the siblings were built, into `dist/bin.js` and
 * chunks that are loaded when a command needs them. One file instead of 230 saves a third of the CPU of a start
 * (docs/decisions/0139-bundle-the-command.md). The manifest's optional peers stay outside, because users install them beside the command.
 */
export async function bundleCommand() {
  const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const outdir = resolve('dist');
  await build({
    absWorkingDir: process.cwd(),
    entryPoints: ['src/bin.ts'],
    outdir,
    chunkNames: 'command/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    tsconfig: '../../tsconfig.build.json',
    // Names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    external: [...Object.keys(peerDependencies), './grpc-js.cjs'],
    plugins: [builtinsWithoutFacade(), yamlAsModules(), thirdPartyNotices()],
    metafile: true,
    logLevel: 'error',
  });
  chmodSync(join(outdir, 'bin.js'), 0o755);
  // A file that is required, not imported (packages/grpc/src/load-grpc-js.ts).
  copyFileSync(resolve('../grpc/dist/grpc-js.cjs'), join(outdir, 'command', 'grpc-js.cjs'));
}

/** The package yaml gives Node its CommonJS form, of which `import()` in a bundle has only the default export. Its other form is the same code as ES modules. */
function yamlAsModules() {
  return {
    name: 'yaml-as-modules',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^yaml$/ }, async ({ path, resolveDir, kind, pluginData }) => {
        if (pluginData === 'inner') return undefined;
        const found = await resolve(path, { resolveDir, kind, pluginData: 'inner' });
        return { path: join(dirname(found.path), '../browser/index.js') };
      });
    },
  };
}
