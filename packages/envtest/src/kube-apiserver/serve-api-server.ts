import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerStorage } from '@nodeagent/test-api-server';
import { fileStorage, machineNetwork } from '@nodeagent/test-api-server/node';
import { findDataFolder } from '../etcd/data-folder.js';
import type { ClusterServer, ServerOptions } from './cluster-server.js';
import { tokenKeysOf } from './key-files.js';
import { servingCertificate } from './serving-certificate.js';
import { type ApiServerSettings, type ClusterChoice, enabledPlugins } from './settings.js';
import { readTokenFile } from './token-file.js';

/** A running stand-in of kube-apiserver. */
export interface RunningApiServer {
  url: string;
  close(): Promise<void>;
}

/**
 * Serves the API until `close`.
 *
 * @throws NodeAgentError `EtcdUnavailable`, `InvalidFlag` and `StorageInUse`
 */
export async function serveApiServer(settings: ApiServerSettings, choice: ClusterChoice): Promise<RunningApiServer> {
  const certificate = servingCertificate(settings);
  const storage = await openStorage(settings);
  const enableAdmissionPlugins = enabledPlugins(settings, choice);
  const { server, close } = await createServer({ ...serverOptions(settings), storage, enableAdmissionPlugins }, choice);
  const { host, port, clientCaFile } = settings;
  const clientCa = clientCaFile === undefined ? certificate.cert : readFileSync(clientCaFile, 'utf8');
  const url = await server.listen({ host, port, tls: true, certificate, clientCa });
  return { url, close };
}

const anonymous = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

function serverOptions(settings: ApiServerSettings): ServerOptions {
  const { tokenFile, rbac, serviceAccounts, serviceClusterIPRange, disableAdmissionPlugins } = settings;
  const { issuer, audiences, keyFiles, signingKeyFile } = serviceAccounts;
  const fileOf = (path: string) => ({ path, text: readFileSync(path, 'utf8') });
  return {
    network: machineNetwork,
    anonymous: settings.anonymous && anonymous,
    ...(tokenFile && { tokens: readTokenFile(fileOf(tokenFile)) }),
    ...(rbac && { authorizer: 'rbac' as const }),
    serviceAccounts: { issuer, audiences, keys: tokenKeysOf(fileOf(signingKeyFile), keyFiles.map(fileOf)) },
    serviceClusterIPRange,
    disableAdmissionPlugins,
  };
}

/** The objects that earlier servers with the same etcd left; rejects while another server has them. */
async function openStorage({ etcdUrl, etcdPrefix }: ApiServerSettings): Promise<ServerStorage> {
  const folder = await findDataFolder(etcdUrl);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return fileStorage(join(folder, `${encodeURIComponent(etcdPrefix)}.log`));
}

async function createServer(options: ServerOptions, { nodes = 0, controllers = false }: ClusterChoice): Promise<ClusterServer> {
  if (nodes > 0) return (await import('./serve-cluster.js')).createCluster(options, nodes);
  const { createTestApiServer } = await import('@nodeagent/test-api-server');
  const own = controllers ? { workloads: true, scheduler: true, endpointSlices: true } : { namespaceObjects: false };
  const server = createTestApiServer({ ...options, ...own });
  return { server, close: () => server.close() };
}
