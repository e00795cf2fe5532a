import type { CertificateSigningRequest } from '@nodeagent/api';
import type { AdmissionRequest } from '../access/admission-request.js';
import type { ApiContext } from '../context.js';
import { type AdmissionPlugin, beforeOf } from './plugin.js';
import { refused } from './refuse.js';

/** Lets only those approve requests for certificates who may `approve` for the signer. */
export const certificateApproval: AdmissionPlugin = {
  name: 'CertificateApproval',
  validate(request, context) {
    if (request.resource !== 'certificatesigningrequests' || request.subresource !== 'approval') return;
    const signer = signerOf(request);
    if (!maySign(request, context, 'approve', signer))
      throw refused(request, `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`);
  },
};

/** The signer of the stored request. */
export const signerOf = (request: AdmissionRequest): string => (beforeOf(request) as CertificateSigningRequest).spec?.signerName ?? '';

/** Whether the user has a verb for the signer, or for all signers of its domain. */
export function maySign({ user }: AdmissionRequest, { authorize }: ApiContext, verb: 'approve' | 'sign', signer: string): boolean {
  const names = [signer, `${signer.split('/')[0]}/*`];
  return names.some(
    (name) => authorize({ user, verb, isResource: true, group: 'certificates.k8s.io', version: '*', resource: 'signers', name }).allowed,
  );
}
