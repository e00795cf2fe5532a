import { invalidOption } from '@nodeagent/api';
import type { KubeletConfiguration } from '@nodeagent/kubelet-config';
import type { ConfiguredCertificates, ConfiguredServer } from './agent-configuration.js';
import { openSslCiphers } from './cipher-suites.js';
import { type FieldEffect, type FieldReaders, milliseconds, unlessEmpty } from './field-readers.js';

const server = (changed: ConfiguredServer): FieldEffect => ({ server: changed });
const certificates = (changed: ConfiguredCertificates): FieldEffect => ({ certificates: changed });

/** The node's HTTP API. */
export const serverFields = {
  enableServer: (isEnabled) => (isEnabled ? {} : server({ https: { port: 0 }, readOnly: { port: 0 } })),
  port: (port, { enableServer = true }) => (enableServer ? server({ https: { port } }) : {}),
  readOnlyPort: (port, { enableServer = true }) => (enableServer ? server({ readOnly: { port } }) : {}),
  address: (text) => unlessEmpty(text, (address) => server({ https: { address }, readOnly: { address } })),
  healthzPort: (port) => server({ healthz: { port } }),
  healthzBindAddress: (text) => unlessEmpty(text, (address) => server({ healthz: { address } })),
  rotateCertificates: (rotateCertificates) => certificates({ rotateCertificates }),
  serverTLSBootstrap: (isOn, { featureGates = {} }) =>
    certificates({ serverTLSBootstrap: isOn && featureGates.RotateKubeletServerCertificate !== false }),
  tlsCertFile: (text) => unlessEmpty(text, (certFile) => server({ tls: { certFile } })),
  tlsPrivateKeyFile: (text) => unlessEmpty(text, (keyFile) => server({ tls: { keyFile } })),
  tlsMinVersion(version) {
    if (version === 'VersionTLS13') return server({ tls: { minVersion: 'TLSv1.3' } });
    return version === 'VersionTLS12' ? {} : { ignored: ['tlsMinVersion'] };
  },
  tlsCipherSuites(suites) {
    const ciphers = openSslCiphers(suites);
    if (ciphers !== undefined) return server({ tls: { ciphers } });
    return suites.length > 0 ? { ignored: ['tlsCipherSuites'] } : {};
  },
  authentication: ({ x509, webhook, anonymous }) => ({
    server: {
      ...(x509?.clientCAFile && { tls: { clientCAFile: x509.clientCAFile } }),
      authentication: {
        ...(webhook?.enabled !== undefined && { webhook: webhook.enabled }),
        ...(webhook?.cacheTTL !== undefined && { cacheTTLMs: milliseconds('authentication.webhook.cacheTTL', webhook.cacheTTL) }),
        ...(anonymous?.enabled !== undefined && { anonymous: anonymous.enabled }),
      },
    },
  }),
  authorization: readAuthorization,
  enableDebuggingHandlers: (enableDebuggingHandlers) => server({ settings: { enableDebuggingHandlers } }),
  enableSystemLogHandler: (enableSystemLogHandler) => server({ settings: { enableSystemLogHandler } }),
  enableProfilingHandler: (enableProfilingHandler) => server({ settings: { enableProfilingHandler } }),
  enableDebugFlagsHandler: (enableDebugFlagsHandler) => server({ settings: { enableDebugFlagsHandler } }),
} satisfies FieldReaders;

function readAuthorization({ mode = '', webhook = {} }: NonNullable<KubeletConfiguration['authorization']>): FieldEffect {
  if (mode !== '' && mode !== 'AlwaysAllow' && mode !== 'Webhook') {
    throw invalidOption('authorization.mode', 'AlwaysAllow or Webhook', mode);
  }
  const { cacheAuthorizedTTL, cacheUnauthorizedTTL } = webhook;
  const ttl = (name: keyof typeof webhook, duration: string) => milliseconds(`authorization.webhook.${name}`, duration);
  return server({
    authorization: {
      ...(mode && { mode }),
      ...(cacheAuthorizedTTL !== undefined && { cacheAuthorizedTTLMs: ttl('cacheAuthorizedTTL', cacheAuthorizedTTL) }),
      ...(cacheUnauthorizedTTL !== undefined && { cacheUnauthorizedTTLMs: ttl('cacheUnauthorizedTTL', cacheUnauthorizedTTL) }),
    },
  });
}
