import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import {
  abandonAtDeadline,
  type CertificateSigningRequest,
  type Clock,
  errorCode,
  errorMessage,
  isApiReason,
  type Logger,
  NodeAgentError,
  type ObjectGetter,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { replaceFile } from '@nodeagent/api/files';
import { createCertificateRequest, parseCertificateRequest } from '@nodeagent/x509/node';
import { createCertificatePair, parseCertificateChain } from './certificate-pair.js';
import { clientTemplate } from './certificate-template.js';
import { certificateManagerErrorCodes } from './errors.js';
import { createCertificateFileStore } from './file-store.js';
import { type SigningRequestApi, waitForCertificate } from './kubernetes-signer.js';
import { requestOutcome } from './request-outcome.js';
import { isUnexpired } from './rotation-deadline.js';
import { bootstrapRequestName, signingRequest } from './signing-request.js';
import { type BootstrapFilesOptions, isKubeconfigValid, writeBootstrappedKubeconfig } from './tls-bootstrap.js';

/** The calls to `certificates.k8s.io/v1` of a bootstrap. */
export type BootstrapRequestApi = SigningRequestApi & ObjectGetter<CertificateSigningRequest>;

/** Options of {@link bootstrapClientCertificate}. */
export interface BootstrapClientCertificateOptions extends BootstrapFilesOptions {
  nodeName: string;
  /** The API with the identity of the bootstrap kubeconfig; not called if the kubeconfig is valid. */
  api(): Promise<BootstrapRequestApi>;
  /** Resolves once the API server responds to GET /healthz. Default: always. */
  apiServerReady?(signal: AbortSignal): Promise<void>;
  signal?: AbortSignal;
}

/** Time limits in milliseconds: for the API server to become ready, and for the certificate. */
const [readyTimeoutMs, certificateTimeoutMs] = [60_000, 60 * 60_000];

/**
 * Requests the client certificate of a node that does not rotate it (`rotateCertificates: false`), stores it and writes the kubeconfig. Does
 * nothing if the kubeconfig is valid. A call after a restart continues with the same key and request. Rejects with an error of the request,
 * or with `CertificateRequestTimedOut` after an hour.
 */
export async function bootstrapClientCertificate(options: BootstrapClientCertificateOptions): Promise<void> {
  const { directory, nodeName, apiServerReady, signal, clock = systemClock, logger = silentLogger } = options;
  if (await isKubeconfigValid(options.kubeconfigPath, clock.now(), logger)) return;
  const api = await options.api();
  const store = createCertificateFileStore({ directory, prefix: 'kubelet-client', clock });
  const keyPath = join(directory, 'kubelet-client.key.tmp');
  const key = (await store.current().catch(() => undefined))?.key ?? (await temporaryKey(keyPath, logger));

  if (apiServerReady !== undefined) await waitForServer(apiServerReady, { clock, logger, signal });
  const template = clientTemplate(nodeName);
  const privateKey = createPrivateKey(key);
  const publicKey = createPublicKey(privateKey);
  const subject = { commonName: template.commonName, organizations: template.organizations };
  const name = bootstrapRequestName(publicKey.export({ type: 'spki', format: 'der' }), template);
  const desired = signingRequest({ role: 'client', csr: createCertificateRequest({ subject, publicKey, privateKey }), name });
  const error = () =>
    new NodeAgentError(certificateManagerErrorCodes.requestTimedOut, 'timed out waiting for the certificate', {
      retryable: true,
      hint: `Check that the request is approved and signed: kubectl get csr ${name}`,
    });
  const chain = await abandonAtDeadline({ clock, timeoutMs: certificateTimeoutMs, error, signal }, async (own) =>
    waitForCertificate(api, await createOrReuse(api, desired, clock, own), own),
  );
  await store.update(createCertificatePair(chain, key));
  await unlink(keyPath).catch(ignoreMissing);
  await writeBootstrappedKubeconfig(options);
}

/** The key of an interrupted bootstrap, else a new one, which is stored before it is used. */
async function temporaryKey(path: string, logger: Logger): Promise<string> {
  const stored = await readFile(path, 'utf8').catch(ignoreMissing);
  try {
    if (stored !== undefined) return createPrivateKey(stored).export({ type: 'sec1', format: 'pem' }).toString();
  } catch {
    // The error of an unreadable key could quote it.
    logger.warn({ path }, 'the private key of an earlier bootstrap is invalid, creating another');
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'sec1', format: 'pem' }).toString();
  await replaceFile(path, key, 0o755);
  return key;
}

interface Wait {
  clock: Clock;
  logger: Logger;
  signal: AbortSignal | undefined;
}

/** Waits up to a minute; the request is sent in any case. */
async function waitForServer(ready: (signal: AbortSignal) => Promise<void>, { clock, logger, signal }: Wait): Promise<void> {
  const error = () => new Error('the API server did not become ready within a minute');
  try {
    await abandonAtDeadline({ clock, timeoutMs: readyTimeoutMs, error, signal }, ready);
  } catch (error) {
    signal?.throwIfAborted();
    logger.warn({ err: error }, 'failed to wait for the API server');
  }
}

async function createOrReuse(
  api: BootstrapRequestApi,
  desired: CertificateSigningRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<CertificateSigningRequest> {
  const failed = (cause: unknown) =>
    new NodeAgentError(
      certificateManagerErrorCodes.requestNotCreated,
      `cannot create certificate signing request: ${errorMessage(cause)}`,
      { retryable: true, cause },
    );
  try {
    return await api.create(desired, { signal });
  } catch (cause) {
    if (!isApiReason(cause, 'AlreadyExists')) throw failed(cause);
  }
  const existing = await api.get({ name: desired.metadata?.name ?? '' }, { signal }).catch((cause) => {
    throw failed(cause);
  });
  const problem = reuseProblem(existing, desired, clock.now());
  if (problem !== undefined) throw failed(new Error(`the existing request cannot be used: ${problem}`));
  return existing;
}

/** Why an existing request is not for the same key and subject, or its certificate is not usable; undefined if it can be used. */
function reuseProblem(existing: CertificateSigningRequest, desired: CertificateSigningRequest, now: number): string | undefined {
  if (existing.spec.signerName !== desired.spec.signerName) return 'it has another signer';
  const [own, other] = [desired, existing].map(({ spec }) => {
    const { subject, publicKey } = parseCertificateRequest(Buffer.from(spec.request, 'base64').toString());
    return JSON.stringify([subject, Buffer.from(publicKey.export({ type: 'spki', format: 'der' })).toString('base64')]);
  });
  if (own !== other) return 'it has another subject or key';
  const outcome = requestOutcome(existing);
  if (outcome.state !== 'issued') return undefined;
  return parseCertificateChain(outcome.certificate).every((facts) => isUnexpired(facts, now)) ? undefined : 'its certificate expired';
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}
