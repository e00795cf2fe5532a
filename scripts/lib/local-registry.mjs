import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentWithNode, fetchNode } from './fetch-node.mjs';
import { installOnce } from './install-once.mjs';
import { root } from './pnpm.mjs';

const verdaccio = {
  version: '6.10.4',
  nodeMajor: '22',
  // verdaccio-audit depends on the dist-tag `cjs` of node-fetch, which not every mirror of npm has.
  overrides: { 'node-fetch': '2.7.0' },
};

/**
 * Starts verdaccio on a free port of 127.0.0.1 for the packages of this repository; its files are in `folder`. Returns its `url`, the lines of
 * an `.npmrc` that uses it for these packages only, and `close`. npm takes all other packages from the machine's registry and its own cache,
 * so verdaccio has no uplink.
 */
export async function startLocalRegistry(folder) {
  const node = fetchNode(verdaccio.nodeMajor);
  const modules = installOnce('verdaccio', verdaccio.version, { overrides: verdaccio.overrides, env: environmentWithNode(node) });
  mkdirSync(folder);
  const config = join(folder, 'config.yaml');
  // JSON is YAML.
  writeFileSync(
    config,
    JSON.stringify({
      storage: join(folder, 'storage'),
      packages: { '@nodeagent/*': { access: '$all', publish: '$all' } },
      uplinks: {},
      web: { enable: false },
      max_body_size: '20mb',
      log: { type: 'stdout', format: 'pretty', level: 'error' },
    }),
  );
  const program = join(root, 'scripts', 'smoke', 'serve-verdaccio.cjs');
  const server = fork(program, [join(modules, 'verdaccio'), config], { execPath: join(node, 'node') });
  const port = await Promise.race([
    once(server, 'message').then(([port]) => port),
    once(server, 'exit').then(([status]) => Promise.reject(new Error(`verdaccio exited with ${status}`))),
  ]);
  const host = `127.0.0.1:${port}`;
  return {
    url: `http://${host}/`,
    // npm publishes only with a token, whatever the registry asks for.
    npmrc: `@nodeagent:registry=http://${host}/\n//${host}/:_authToken=local\n`,
    close: () => server.disconnect(),
  };
}
