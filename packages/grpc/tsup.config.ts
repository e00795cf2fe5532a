import { isBuiltin } from 'node:module';
import { build, defineConfig, type Options } from 'tsup';
import { thirdPartyNotices } from '../../scripts/lib/third-party-notices.mjs';
import base from '../../tsup.config.ts';

const grpcJs = './grpc-js.cjs';

/** grpc-js in one file that both module formats load, without what describes services by .proto files (docs/decisions/0040-grpc-is-one-package.md). */
const bundle: Options = {
  config: false,
  entry: ['src/grpc-js.cjs'],
  format: ['cjs'],
  target: 'node20',
  platform: 'node',
  noExternal: [/^@grpc\/grpc-js$/],
  removeNodeProtocol: false,
  silent: true,
  esbuildOptions: base.esbuildOptions,
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

export default defineConfig({ ...base, external: [grpcJs], onSuccess: () => build(bundle) });
