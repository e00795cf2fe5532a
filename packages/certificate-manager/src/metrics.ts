import type { Metrics } from '@nodeagent/api';
import type { CertificateRole } from './signing-request.js';

/** Metrics of one certificate. */
export interface CertificateMetrics {
  /** Seconds until the certificate expires, truncated; `Infinity` without one. */
  setTtl(seconds: number): void;
  countRenewError(): void;
  /** The age of the certificate that was replaced. */
  observeRotation(ageSeconds: number): void;
}

const clientTtl = {
  name: 'kubelet_certificate_manager_client_ttl_seconds',
  help:
    "Gauge of the TTL (time-to-live) of the Kubelet's client certificate. " +
    'The value is in seconds until certificate expiry (negative if already expired). ' +
    'If client certificate is invalid or unused, the value will be +INF.',
};

const serverTtl = {
  name: 'kubelet_certificate_manager_server_ttl_seconds',
  help:
    "Gauge of the TTL (time-to-live) of the Kubelet's serving certificate. " +
    'The value is in seconds until certificate expiry (negative if already expired). ' +
    'If serving certificate is invalid or unused, the value will be +INF.',
};

const clientRenewErrors = {
  name: 'kubelet_certificate_manager_client_expiration_renew_errors',
  help: 'Counter of certificate renewal errors.',
};

const serverRenewErrors = {
  name: 'kubelet_server_expiration_renew_errors',
  help: 'Counter of certificate renewal errors.',
};

const serverRotation = {
  name: 'kubelet_certificate_manager_server_rotation_seconds',
  help: 'Histogram of the number of seconds the previous certificate lived before being rotated.',
  buckets: [60, 3_600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000],
};

/** The metrics with the kubelet's names. */
export function createCertificateMetrics(metrics: Metrics, role: CertificateRole): CertificateMetrics {
  const isClient = role === 'client';
  const ttl = metrics.gauge(isClient ? clientTtl : serverTtl);
  const errors = metrics.counter(isClient ? clientRenewErrors : serverRenewErrors);
  const age = isClient ? undefined : metrics.histogram(serverRotation);
  return {
    setTtl: (seconds) => ttl.set(Math.trunc(seconds)),
    countRenewError: () => errors.inc(),
    observeRotation: (seconds) => age?.observe(seconds),
  };
}
