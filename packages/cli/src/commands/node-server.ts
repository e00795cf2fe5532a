import { hostname, networkInterfaces } from 'node:os';
import { type Clock, type Logger, NodeAgentError, type ObjectCreator, type SubjectAccessReview, type TokenReview } from '@nodeagent/api';
import type { AgentServer } from '@nodeagent/core';
import type { KubeletConfiguration } from '@nodeagent/kubelet-config';
import type { MetricsRegistry, TlsSource } from '@nodeagent/server';
import type { Configured } from './configured.js';
import type { ServerRunOptions } from './server-flags.js';

/** The API server, as far as it is asked about clients of the node. */
export interface Reviews {
  tokenReviews: ObjectCreator<TokenReview>;
  subjectAccessReviews: ObjectCreator<SubjectAccessReview>;
}

/** What a configuration says of the HTTP API that no flag does. */
export interface ServerSettings {
  routes: NonNullable<AgentServer['settings']>;
  minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** As OpenSSL lists them. */
  ciphers?: string;
  tokenCacheMs?: number;
  allowedCacheMs?: number;
  deniedCacheMs?: number;
}

/** What the server of an agent follows from. */
export interface NodeServerInput {
  nodeName: string;
  options: ServerRunOptions;
  configured?: Pick<Configured, 'server' | 'configuration'>;
  /** Absent without a cluster. */
  reviews?: Reviews;
  /** `--node-ip`: clients may use them although no interface has them yet. */
  nodeIPs?: readonly string[];
  clock: Clock;
  logger: Logger;
}

/** The `server` of an agent: with the certificates of the flags, or one of its own, and with a registry for the agent's metrics. */
export async function nodeServer(input: NodeServerInput): Promise<AgentServer & { registry: MetricsRegistry }> {
  const { options, configured } = input;
  const { port, address, readOnlyPort, healthzPort, healthzAddress } = options;
  // Here, not above: a bundle would load it for every command.
  const { createMetricsRegistry } = await import('@nodeagent/server');
  const at = address === undefined ? {} : { address };
  return {
    ...(port !== undefined && { https: { ...at, port, ...(await access(input)) } }),
    ...(readOnlyPort !== undefined && { readOnly: { ...at, port: readOnlyPort } }),
    ...(healthzPort !== undefined && { healthz: { address: healthzAddress, port: healthzPort } }),
    registry: createMetricsRegistry(),
    configz: () => shownConfiguration(configured?.configuration),
    systemLogsDir: '/var/log',
    settings: { ...configured?.server.routes, ...(options.heapSnapshots && { enableHeapSnapshots: true }) },
  };
}

async function shownConfiguration(configuration: KubeletConfiguration | undefined): Promise<object> {
  const { configurationToJson, kubeletConfigurationApiVersion, kubeletConfigurationKind, setDefaults } = await import(
    '@nodeagent/kubelet-config'
  );
  const shown = configurationToJson(configuration ?? setDefaults({}));
  return { kind: kubeletConfigurationKind, apiVersion: kubeletConfigurationApiVersion, ...shown };
}

type Https = Omit<NonNullable<AgentServer['https']>, 'address' | 'port'>;

async function access({ nodeName, options, configured, reviews, nodeIPs = [], clock, logger }: NodeServerInput): Promise<Https> {
  const settings = configured?.server;
  const { clientCAFile, anonymousAuth: anonymous, tokenWebhook, authorizationMode } = options;
  if (clientCAFile === undefined && authorizationMode === 'Webhook') {
    logger.warn('without --client-ca-file the API server, which shows a certificate, is nobody here: logs and exec work with tokens only');
  }
  return {
    tls: await tlsOf(options, settings, ownNames(nodeName, nodeIPs), clock, logger),
    authentication: {
      anonymous,
      ...(tokenWebhook && reviews && { tokenReviews: reviews.tokenReviews }),
      ...(settings?.tokenCacheMs !== undefined && { cacheTTLMs: settings.tokenCacheMs }),
    },
    authorization: authorizationMode === 'AlwaysAllow' ? { mode: authorizationMode } : webhook(settings, reviews),
  };
}

function webhook(settings: Partial<ServerSettings> | undefined, reviews: Reviews | undefined): Https['authorization'] {
  if (reviews === undefined) throw new NodeAgentError('BAD_USAGE', '--authorization-mode: Webhook needs --kubeconfig');
  return {
    mode: 'Webhook',
    subjectAccessReviews: reviews.subjectAccessReviews,
    ...(settings?.allowedCacheMs !== undefined && { cacheAuthorizedTTLMs: settings.allowedCacheMs }),
    ...(settings?.deniedCacheMs !== undefined && { cacheUnauthorizedTTLMs: settings.deniedCacheMs }),
  };
}

async function tlsOf(
  { tlsFiles: given, certDir, clientCAFile }: ServerRunOptions,
  settings: Partial<ServerSettings> | undefined,
  hosts: string[],
  clock: Clock,
  logger: Logger,
): Promise<TlsSource> {
  const { ensureServingCertificate, tlsFiles } = await import('@nodeagent/server');
  const files = given ?? (await ensureServingCertificate({ directory: certDir, hosts, clock }));
  const source = tlsFiles({
    ...files,
    ...(clientCAFile !== undefined && { clientCAFile }),
    ...(settings?.minVersion && { minVersion: settings.minVersion }),
    ...(settings?.ciphers && { ciphers: settings.ciphers }),
    clock,
    logger,
  });
  // What cannot be read is told before anything starts.
  source();
  return source;
}

/** By what clients may call this node; not by addresses that mean something on one link only. */
function ownNames(nodeName: string, nodeIPs: readonly string[]): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  const reachable = addresses.filter((address) => !address.startsWith('fe80:'));
  const configured = nodeIPs.filter((address) => address !== '0.0.0.0' && address !== '::');
  return [...new Set([nodeName, hostname().toLowerCase(), ...configured, ...reachable])];
}
