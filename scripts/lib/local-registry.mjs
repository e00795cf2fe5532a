import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './pnpm.mjs';

const startLimitMs = 30_000;

/**
 * Starts an npm registry on a free port of 127.0.0.1 that keeps the packages in `folder`, has only those of this repository and takes every
 * one without a login. Returns its `url`, the lines of an `.npmrc` that uses it for these packages, and `close`.
 */
export async function startLocalRegistry(folder) {
  mkdirSync(folder);
  const port = await freePort();
  const config = join(folder, 'config.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      storage: join(folder, 'storage'),
      auth: { htpasswd: { file: join(folder, 'htpasswd') } },
      uplinks: {},
      packages: { '@nodeagent/*': { access: '$all', publish: '$all' } },
      web: { enable: false },
      log: { type: 'stdout', format: 'pretty', level: 'warn' },
    }),
  );
  const verdaccio = join(root, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  const child = spawn(process.execPath, [verdaccio, '--config', config, '--listen', `127.0.0.1:${port}`], { stdio: 'pipe' });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
  const close = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  };
  process.on('exit', () => child.kill());

  const url = `http://127.0.0.1:${port}/`;
  const deadline = Date.now() + startLimitMs;
  while (!(await answers(`${url}-/ping`))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await close();
      throw new Error(`the local registry did not start\n${printed}`);
    }
    await sleep(100);
  }
  // npm publishes only with a token, whatever the registry asks for.
  const npmrc = `@nodeagent:registry=${url}\n//127.0.0.1:${port}/:_authToken=local\n`;
  return { url, npmrc, close };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const answers = (url) =>
  fetch(url).then(
    (response) => response.ok,
    () => false,
  );
