import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../debian-package.js';
import { freePort } from '../free-port.js';
import { until } from '../until.js';

const programs = {
  'docker-registry': '/usr/bin/docker-registry',
  skopeo: '/usr/bin/skopeo',
  umoci: '/usr/bin/umoci',
  zstd: '/usr/bin/zstd',
  attr: '/usr/bin/getfattr',
};

/** Whether Debian's docker-registry, skopeo, umoci, zstd and attr are there; with `install` (CI, and root on Debian) they are installed. */
export function provideImageTools(install: boolean): boolean {
  const missing = () => Object.entries(programs).flatMap(([name, path]) => (existsSync(path) ? [] : [name]));
  if (install && missing().length > 0) {
    run('apt-get', ['update', '-qq']);
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing()]);
    // The package starts a service of the system; the tests run separate registries.
    spawnSync('service', ['docker-registry', 'stop']);
  }
  return missing().length === 0;
}

/** What a {@link DockerRegistry} demands. */
export interface DockerRegistryOptions {
  /** Paths of files in PEM format. `clientcas`: clients must have a certificate of one of these. */
  tls?: { certificate: string; key: string; clientcas?: string[] };
  /** `auth` of the registry's configuration. */
  auth?: object;
}

/** A `docker-registry` on 127.0.0.1. */
export interface DockerRegistry {
  /** `127.0.0.1:PORT`. */
  host: string;
  /** Requests so far, as `GET /v2/...`. */
  requests(): string[];
  stop(): Promise<void>;
}

/** Starts a registry whose content is in `folder/content`; registries with one folder have the same content. */
export async function startDockerRegistry(folder: string, { tls, auth }: DockerRegistryOptions = {}): Promise<DockerRegistry> {
  mkdirSync(folder, { recursive: true });
  const host = `127.0.0.1:${await freePort()}`;
  const [, port] = host.split(':');
  const config = join(folder, `${port}.yml`);
  const logFile = join(folder, `${port}.log`);
  const storage = { filesystem: { rootdirectory: join(folder, 'content') } };
  // JSON is YAML.
  writeFileSync(config, JSON.stringify({ version: 0.1, storage, http: { addr: host, ...(tls && { tls }) }, ...(auth && { auth }) }));
  const log = openSync(logFile, 'w');
  const registry: ChildProcess = spawn(programs['docker-registry'], ['serve', config], { stdio: ['ignore', log, log] });
  closeSync(log);
  await until(`docker-registry at ${host}`, async () => {
    if (registry.exitCode !== null) throw new Error(readFileSync(logFile, 'utf8'));
    return readFileSync(logFile, 'utf8').includes('listening on');
  });
  return {
    host,
    requests: () => [...readFileSync(logFile, 'utf8').matchAll(/"(GET \/v2\/\S*) HTTP/g)].map(([, request = '']) => request),
    async stop() {
      if (registry.exitCode !== null) return;
      const exited = once(registry, 'exit');
      registry.kill('SIGKILL');
      await exited;
    },
  };
}

/** Runs skopeo; throws with its output if it failed. */
export const skopeo = (...args: string[]) => run(programs.skopeo, ['--insecure-policy', ...args]);
