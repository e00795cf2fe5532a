import {
  abortable,
  type CertificateSigningRequest,
  errorMessage,
  type InformerSource,
  type Logger,
  NodeAgentError,
  type ObjectCreator,
  requirePositive,
  silentLogger,
} from '@nodeagent/api';
import type { CertificatePair } from './certificate-pair.js';
import { certificateManagerErrorCodes } from './errors.js';
import type { RequestCertificate } from './options.js';
import { requestOutcome } from './request-outcome.js';
import { type CertificateRole, signingRequest } from './signing-request.js';

/** The calls to `certificates.k8s.io/v1` that a rotation makes. */
export type SigningRequestApi = ObjectCreator<CertificateSigningRequest> & InformerSource<CertificateSigningRequest>;

export interface KubernetesSignerOptions {
  role: CertificateRole;
  /** The API with the identity of this certificate; without one, with that of the bootstrap. Called for each request. */
  api(current: CertificatePair | undefined): SigningRequestApi;
  /** The requested lifetime. Default: the signer decides. */
  expirationSeconds?: number;
  logger?: Logger;
}

/** Requests certificates by CertificateSigningRequests, as the kubelet does: each request is a new object. */
export function kubernetesSigner(options: KubernetesSignerOptions): RequestCertificate {
  const { role, api, expirationSeconds, logger = silentLogger } = options;
  requirePositive('expirationSeconds', expirationSeconds, { integer: true });
  return async ({ csr, current, signal }) => {
    const requests = api(current);
    let created: CertificateSigningRequest;
    try {
      created = await requests.create(signingRequest({ role, csr, expirationSeconds }), { signal });
    } catch (cause) {
      throw new NodeAgentError(
        certificateManagerErrorCodes.requestNotCreated,
        `cannot create certificate signing request: ${errorMessage(cause)}`,
        { retryable: true, cause },
      );
    }
    logger.info({ role, name: created.metadata?.name }, 'waiting for the certificate signing request to be approved and signed');
    return waitForCertificate(requests, created, signal);
  };
}

/**
 * Waits until the request is signed, and resolves to the issued chain in PEM format. Rejects if it is denied, failed or deleted, or when the
 * signal aborts. The informer retries while the API server is away.
 */
export async function waitForCertificate(
  api: InformerSource<CertificateSigningRequest>,
  { metadata }: CertificateSigningRequest,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { name = '', uid } = metadata ?? {};
  const informer = api.informer({ fieldSelector: `metadata.name=${name}` });
  const codes = certificateManagerErrorCodes;
  const error = (code: string, message: string) => new NodeAgentError(code, message, { details: { name } });
  const issued = new Promise<string>((resolve, reject) => {
    const inspect = () => {
      const found = informer.get({ name });
      if (found === undefined && !informer.hasSynced) return;
      if (found === undefined) return reject(error(codes.requestDeleted, `certificate signing request ${quoted(name)} was deleted`));
      if (found.metadata?.uid !== uid) {
        return reject(error(codes.requestDeleted, `certificate signing request ${quoted(name)} was replaced by another`));
      }
      const outcome = requestOutcome(found);
      if (outcome.state === 'issued') return resolve(outcome.certificate);
      if (outcome.state !== 'denied' && outcome.state !== 'failed') return;
      const { reason, message } = outcome;
      const [code, verb] = outcome.state === 'denied' ? [codes.requestDenied, 'is denied'] : [codes.requestFailed, 'failed'];
      reject(error(code, `certificate signing request ${verb}, reason: ${reason}, message: ${message}`));
    };
    informer.onChange(inspect);
    informer.start().catch(reject);
  });
  try {
    return await abortable(issued, signal);
  } finally {
    await informer.stop();
  }
}

const quoted = (name: string) => JSON.stringify(name);
