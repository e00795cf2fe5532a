import type { CertificateSigningRequest } from '@nodeagent/api';
import { readCertificateRequest } from '@nodeagent/x509/decisions';
import { type AdmissionPlugin, isFor, objectOf } from './plugin.js';
import { refused } from './refuse.js';

const clientSigner = 'kubernetes.io/kube-apiserver-client';

/** Refuses client certificates for members of `system:masters`. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  validate(request) {
    if (!isFor(request, 'create', 'certificates.k8s.io', 'certificatesigningrequests')) return;
    const { signerName, request: encoded = '' } = (objectOf(request) as CertificateSigningRequest).spec ?? {};
    if (signerName !== clientSigner) return;
    if (organizationsOf(encoded).includes('system:masters'))
      throw refused(request, `use of ${clientSigner} signer with system:masters group is not allowed`);
  },
};

/** A text that is no request has no subject; validation refuses it. */
function organizationsOf(encoded: string): readonly string[] {
  try {
    return readCertificateRequest(atob(encoded)).subject.organizations ?? [];
  } catch {
    return [];
  }
}
