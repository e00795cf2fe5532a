import { hostname, networkInterfaces } from 'node:os';
import { type Clock, type Logger, NodeAgentError, type ObjectCreator, type SubjectAccessReview, type TokenReview } from '@nodeagent/api';
import type { ConfiguredHttps, ConfiguredServer } from '@nodeagent/core/kubelet-configuration';
import type { AgentServer } from '@nodeagent/core/node';
import type { KubeletConfiguration } from '@nodeagent/kubelet-config';
import type { MetricsRegistry, TlsSource, TlsSourceOptions } from '@nodeagent/server';
import { version } from '../version.js';

/** API server reviews of the node's clients. */
export interface Reviews {
  tokenReviews: ObjectCreator<TokenReview>;
  subjectAccessReviews: ObjectCreator<SubjectAccessReview>;
}

/** Input of {@link nodeServer}. */
export interface NodeServerInput {
  nodeName: string;
  /** Flags over configuration files over defaults, with the listeners that are on. */
  server: ConfiguredServer;
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
  const { https, ...listeners } = input.server;
  const isEnabled = (gate: string) => input.kubeletConfiguration?.featureGates?.[gate] !== false;
  return {
    ...(listeners as Pick<AgentServer, 'readOnly' | 'healthz' | 'settings'>),
    ...(https && { https: await httpsOptions(https, input) }),
    registry: input.registry,
    configz: () => shownConfiguration(input.kubeletConfiguration),
    ...(isEnabled('ComponentFlagz') && { flagz: () => input.shownFlags }),
    ...(isEnabled('ComponentStatusz') && { statusz: { binaryVersion: version, emulationVersion: '1.36' } }),
    systemLogsDir: '/var/log',
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

type Https = NonNullable<AgentServer['https']>;

async function httpsOptions(https: ConfiguredHttps, input: NodeServerInput): Promise<Https> {
  const { address, port, tls = {}, authentication: { webhook, ...authentication } = {}, authorization = {} } = https;
  const { reviews, logger } = input;
  if (tls.clientCAFile === undefined && authorization.mode === 'Webhook') {
    logger.warn(
      "without --client-ca-file the API server's client certificate is not accepted: kubectl logs and exec fail, only bearer tokens work",
    );
  }
  return {
    address,
    port,
    tls: await tlsOf(tls, input),
    authentication: { ...authentication, ...(webhook && reviews && { tokenReviews: reviews.tokenReviews }) },
    authorization: authorizationOf(authorization, reviews),
  };
}

function authorizationOf(
  { mode, ...caches }: NonNullable<ConfiguredHttps['authorization']>,
  reviews: Reviews | undefined,
): Https['authorization'] {
  if (mode === 'AlwaysAllow') return { mode };
  if (reviews === undefined) throw new NodeAgentError('BAD_USAGE', '--authorization-mode: Webhook requires --kubeconfig');
  return { mode: 'Webhook', subjectAccessReviews: reviews.subjectAccessReviews, ...caches };
}

async function tlsOf(
  { certFile, keyFile, ...others }: NonNullable<ConfiguredHttps['tls']>,
  { nodeName, nodeIPs = [], certDir, servingCertificate, clock, logger }: NodeServerInput,
): Promise<TlsSource> {
  const { createTlsSource } = await import('@nodeagent/server');
  const files = certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : undefined;
  const source = createTlsSource({
    ...others,
    certificate: servingCertificate ?? (await certificateOf(files, certDir, ownNames(nodeName, nodeIPs), { clock, logger })),
    clock,
    logger,
  });
  // Unreadable files fail here, before the agent starts.
  source();
  return source;
}

/** The certificate of the given files, or a self-signed one. */
async function certificateOf(
  given: { certFile: string; keyFile: string } | undefined,
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
