import { hostname, networkInterfaces } from 'node:os';
import { type Clock, type Logger, NodeAgentError, type ObjectCreator, type SubjectAccessReview, type TokenReview } from '@nodeagent/api';
import type { AgentServer } from '@nodeagent/core';
import type { ConfiguredServer } from '@nodeagent/core/kubelet-configuration';
import type { KubeletConfiguration } from '@nodeagent/kubelet-config';
import type { MetricsRegistry, TlsSource, TlsSourceOptions } from '@nodeagent/server';
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
  /** The directory of the self-signed certificate. */
  certDir: string;
  /** The certificate that the agent requests. Default: that of the flags, or a self-signed one. */
  servingCertificate?: TlsSourceOptions['certificate'];
  /** The agent's metrics. */
  registry: MetricsRegistry;
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

/** The `server` option of an agent: with a requested certificate, that of the flags or a self-signed one. */
export async function nodeServer(input: NodeServerInput): Promise<AgentServer> {
  const { options, configured } = input;
  const { port, address, readOnlyPort, healthzPort, healthzAddress } = options;
  const at = address === undefined ? {} : { address };
  const isEnabled = (gate: string) => input.kubeletConfiguration?.featureGates?.[gate] !== false;
  return {
    ...(port !== undefined && { https: { ...at, port, ...(await access(input)) } }),
    ...(readOnlyPort !== undefined && { readOnly: { ...at, port: readOnlyPort } }),
    ...(healthzPort !== undefined && { healthz: { address: healthzAddress, port: healthzPort } }),
    registry: input.registry,
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
  const { staticPodURLHeader: headers } = shown;
  return {
    kind: kubeletConfigurationKind,
    apiVersion: kubeletConfigurationApiVersion,
    ...shown,
    ...(headers && { staticPodURLHeader: masked(headers) }),
  };
}

/** Headers of requests contain credentials. */
const masked = (headers: object) => Object.fromEntries(Object.keys(headers).map((name) => [name, ['<masked>']]));

type Https = Omit<NonNullable<AgentServer['https']>, 'address' | 'port'>;

async function access(input: NodeServerInput): Promise<Https> {
  const { options, configured, reviews, logger } = input;
  const { clientCAFile, anonymousAuth: anonymous, tokenWebhook, authorizationMode } = options;
  const { cacheTTLMs } = configured.authentication ?? {};
  if (clientCAFile === undefined && authorizationMode === 'Webhook') {
    logger.warn(
      "without --client-ca-file the API server's client certificate is not accepted: kubectl logs and exec fail, only bearer tokens work",
    );
  }
  return {
    tls: await tlsOf(input),
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

async function tlsOf({
  nodeName,
  nodeIPs = [],
  options,
  configured,
  certDir,
  clock,
  logger,
  ...input
}: NodeServerInput): Promise<TlsSource> {
  const { createTlsSource } = await import('@nodeagent/server');
  const { minVersion, ciphers } = configured.tls ?? {};
  const { clientCAFile, tlsFiles } = options;
  const source = createTlsSource({
    certificate: input.servingCertificate ?? (await certificateOf(tlsFiles, certDir, ownNames(nodeName, nodeIPs), { clock, logger })),
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

/** The certificate of the given files, or a self-signed one. */
async function certificateOf(
  given: ServerRunOptions['tlsFiles'],
  directory: string,
  hosts: [string, ...string[]],
  ports: { clock: Clock; logger: Logger },
): Promise<TlsSourceOptions['certificate']> {
  const { createCertificateFiles, ensureSelfSignedCertificate } = await import('@nodeagent/certificate-manager');
  const files = given ?? (await ensureSelfSignedCertificate({ directory, hosts, clock: ports.clock }));
  return createCertificateFiles({ ...files, ...ports }).current;
}

/** Names and addresses of this node for its certificate, without link-local addresses. */
function ownNames(nodeName: string, nodeIPs: readonly string[]): [string, ...string[]] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  const reachable = addresses.filter((address) => !address.startsWith('fe80:'));
  const configured = nodeIPs.filter((address) => address !== '0.0.0.0' && address !== '::');
  const others = new Set([hostname().toLowerCase(), ...configured, ...reachable]);
  others.delete(nodeName);
  return [nodeName, ...others];
}
