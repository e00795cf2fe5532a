import { hostname, networkInterfaces } from 'node:os';
import { type Clock, type Logger, NodeAgentError, type ObjectCreator, type SubjectAccessReview, type TokenReview } from '@nodeagent/api';
import type { AgentServer } from '@nodeagent/core';
import type { ConfiguredServer } from '@nodeagent/core/kubelet-configuration';
import type { KubeletConfiguration } from '@nodeagent/kubelet-config';
import type { MetricsRegistry, TlsSource } from '@nodeagent/server';
import { version } from '../version.js';
import type { ServerRunOptions } from './server-flags.js';

/** API server reviews of the node's clients. */
export interface Reviews {
  tokenReviews: ObjectCreator<TokenReview>;
  subjectAccessReviews: ObjectCreator<SubjectAccessReview>;
}

/** Input of {@link nodeServer}. */
export interface NodeServerInput {
  nodeName: string;
  options: ServerRunOptions;
  /** Server settings of flags and configuration files. */
  configured: ConfiguredServer;
  /** Content of `/flagz`. */
  shownFlags: Readonly<Record<string, string>>;
  /** Content of `/configz`. Default: the kubelet's defaults. */
  kubeletConfiguration?: KubeletConfiguration;
  /** Absent without a cluster. */
  reviews?: Reviews;
  /** `--node-ip`: added to the certificate, even if no interface has the addresses yet. */
  nodeIPs?: readonly string[];
  clock: Clock;
  logger: Logger;
}

/** The `server` option of an agent: with the certificate of the flags or a self-signed one, and with a registry for the agent's metrics. */
export async function nodeServer(input: NodeServerInput): Promise<AgentServer & { registry: MetricsRegistry }> {
  const { options, configured } = input;
  const { port, address, readOnlyPort, healthzPort, healthzAddress } = options;
  // Loaded lazily: a bundle would load it for every command.
  const { createMetricsRegistry } = await import('@nodeagent/server');
  const at = address === undefined ? {} : { address };
  const isEnabled = (gate: string) => input.kubeletConfiguration?.featureGates?.[gate] !== false;
  return {
    ...(port !== undefined && { https: { ...at, port, ...(await access(input)) } }),
    ...(readOnlyPort !== undefined && { readOnly: { ...at, port: readOnlyPort } }),
    ...(healthzPort !== undefined && { healthz: { address: healthzAddress, port: healthzPort } }),
    registry: createMetricsRegistry(),
    configz: () => shownConfiguration(input.kubeletConfiguration),
    ...(isEnabled('ComponentFlagz') && { flagz: () => input.shownFlags }),
    ...(isEnabled('ComponentStatusz') && { statusz: { binaryVersion: version, emulationVersion: '1.36' } }),
    systemLogsDir: '/var/log',
    settings: { ...configured.settings, ...(options.heapSnapshots && { enableHeapSnapshots: true }) },
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
  const { clientCAFile, anonymousAuth: anonymous, tokenWebhook, authorizationMode } = options;
  const { cacheTTLMs } = configured.authentication ?? {};
  if (clientCAFile === undefined && authorizationMode === 'Webhook') {
    logger.warn(
      "without --client-ca-file the API server's client certificate is not accepted: kubectl logs and exec fail, only bearer tokens work",
    );
  }
  return {
    tls: await tlsOf(options, configured.tls ?? {}, ownNames(nodeName, nodeIPs), clock, logger),
    authentication: {
      anonymous,
      ...(tokenWebhook && reviews && { tokenReviews: reviews.tokenReviews }),
      ...(cacheTTLMs !== undefined && { cacheTTLMs }),
    },
    authorization: authorizationMode === 'AlwaysAllow' ? { mode: authorizationMode } : webhook(configured.authorization ?? {}, reviews),
  };
}

function webhook(
  { cacheAuthorizedTTLMs, cacheUnauthorizedTTLMs }: NonNullable<ConfiguredServer['authorization']>,
  reviews: Reviews | undefined,
): Https['authorization'] {
  if (reviews === undefined) throw new NodeAgentError('BAD_USAGE', '--authorization-mode: Webhook requires --kubeconfig');
  return {
    mode: 'Webhook',
    subjectAccessReviews: reviews.subjectAccessReviews,
    ...(cacheAuthorizedTTLMs !== undefined && { cacheAuthorizedTTLMs }),
    ...(cacheUnauthorizedTTLMs !== undefined && { cacheUnauthorizedTTLMs }),
  };
}

async function tlsOf(
  { tlsFiles: given, certDir, clientCAFile }: ServerRunOptions,
  { minVersion, ciphers }: NonNullable<ConfiguredServer['tls']>,
  hosts: string[],
  clock: Clock,
  logger: Logger,
): Promise<TlsSource> {
  const { ensureServingCertificate, tlsFiles } = await import('@nodeagent/server');
  const files = given ?? (await ensureServingCertificate({ directory: certDir, hosts, clock }));
  const source = tlsFiles({
    ...files,
    ...(clientCAFile !== undefined && { clientCAFile }),
    ...(minVersion && { minVersion }),
    ...(ciphers && { ciphers }),
    clock,
    logger,
  });
  // Unreadable files fail here, before the agent starts.
  source();
  return source;
}

/** Names and addresses of this node for its certificate, without link-local addresses. */
function ownNames(nodeName: string, nodeIPs: readonly string[]): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  const reachable = addresses.filter((address) => !address.startsWith('fe80:'));
  const configured = nodeIPs.filter((address) => address !== '0.0.0.0' && address !== '::');
  return [...new Set([nodeName, hostname().toLowerCase(), ...configured, ...reachable])];
}
