import type { CertificateSigningRequest } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import { maySign, signerOf } from './certificate-approval.js';
import { type AdmissionPlugin, beforeOf, objectOf } from './plugin.js';
import { refused } from './refuse.js';

/** Lets only those set the certificate of a request, or its condition `Failed`, who may `sign` for the signer. */
export const certificateSigning: AdmissionPlugin = {
  name: 'CertificateSigning',
  validate(request, context) {
    if (request.resource !== 'certificatesigningrequests' || request.subresource !== 'status') return;
    const [now, was] = [objectOf(request), beforeOf(request)].map((each) => (each as CertificateSigningRequest).status ?? {});
    const failures = [now, was].map((status) => status?.conditions?.filter(({ type }) => type === 'Failed') ?? []);
    if (now?.certificate === was?.certificate && equalJson(failures[0], failures[1])) return;
    const signer = signerOf(request);
    if (!maySign(request, context, 'sign', signer))
      throw refused(request, `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`);
  },
};
