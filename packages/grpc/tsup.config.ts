import { isBuiltin } from 'node:module';
import { build, defineConfig, type Options } from 'tsup';
import { thirdPartyNotices } from '../../scripts/lib/third-party-notices.mjs';
import base from '../../tsup.config.ts';

const library = base as Options;

/** grpc-js in one file that both module formats load, without what describes services by .proto files (docs/decisions/0040-bundle-grpc-js-in-one-package.md). */
const bundle: Options = {
  ...library,
  config: false,
  entry: ['src/grpc-js.cjs'],
  format: ['cjs'],
  treeshake: false,
  esbuildPlugins: [
    thirdPartyNotices(),
    {
      name: 'grpc-js',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^\w+$/ }, ({ path }) => (isBuiltin(path) ? { path: `node:${path}`, external: true } : undefined));
        onResolve({ filter: /^@grpc\/proto-loader$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
        onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({
          contents: `throw new Error('the gRPC services Channelz and ORCA are not part of @nodeagent/grpc')`,
        }));
      },
    },
  ],
};

export default defineConfig({ ...library, external: ['./grpc-js.cjs'], onSuccess: () => build(bundle) });
