import { mkdirSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { type GoFlags, invalidFlag } from '../flags/go-flags.js';
import { dataFolderPath } from './data-folder.js';

/** The version that the stand-in reports: that of the etcd of Kubernetes 1.36. */
export const etcdVersion = '3.6.8';

/**
 * Serves what clients ask of etcd before they use it: `/health` and `/version`. Kubernetes' objects are not in here: the stand-in of
 * kube-apiserver writes them into the data folder, whose path it gets from here.
 */
export async function serveEtcd(flags: GoFlags): Promise<{ close(): void }> {
  const folder = resolve(flags.text('data-dir') ?? `${flags.text('name') ?? 'default'}.etcd`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const version = { etcdserver: etcdVersion, etcdcluster: etcdVersion.replace(/\d+$/, '0'), storage: etcdVersion.replace(/\d+$/, '0') };
  const answers = new Map<string | undefined, object | string>([
    ['/health', { health: 'true', reason: '' }],
    ['/livez', 'ok\n'],
    ['/readyz', 'ok\n'],
    ['/version', version],
    [dataFolderPath, { folder: join(folder, 'kube-apiserver') }],
  ]);
  const onRequest: RequestListener = ({ url }, response) => {
    const answer = answers.get(url?.replace(/\?.*/, ''));
    if (answer === undefined) response.writeHead(404).end('404 page not found\n');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  };
  const urls = ['listen-client-urls', 'listen-peer-urls', 'listen-metrics-urls'].flatMap((name) => {
    const given = flags.list(name);
    return given.length > 0 ? given : (defaultUrls[name] ?? []);
  });
  const servers = await Promise.all(urls.map((url) => listen(url, onRequest)));
  return {
    close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

const defaultUrls: Readonly<Record<string, string[]>> = {
  'listen-client-urls': ['http://localhost:2379'],
  'listen-peer-urls': ['http://localhost:2380'],
};

async function listen(text: string, onRequest: RequestListener): Promise<Server> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:') throw invalidFlag(`the etcd stand-in listens on http:// URLs only, not on ${text}`);
  const server = createServer(onRequest);
  await new Promise<void>((isListening, reject) => {
    server.once('error', reject);
    server.listen(Number(url.port || 80), url.hostname.replace(/^\[|\]$/g, ''), isListening);
  });
  return server;
}
