import type { CertificateTemplate } from './certificate-template.js';

/** The content of a certificate that decides on its rotation. Times are in milliseconds since 1970. */
export interface CertificateFacts extends CertificateTemplate {
  notBefore: number;
  notAfter: number;
}

export interface RotationInput {
  certificate: CertificateFacts | undefined;
  /** Undefined if the template is unknown: then the certificate satisfies it. */
  template: CertificateTemplate | undefined;
  /** Whether to rotate at once, as with a certificate that is only for the bootstrap. */
  forceRotation: boolean;
  /** Milliseconds since 1970. */
  now: number;
  /** In [0, 1). */
  random: number;
}

const nsPerMs = 1_000_000n;

/**
 * When to rotate a certificate, in nanoseconds since 1970: after 70 to 90 % of its lifetime, which `random` selects, so that the nodes of a
 * cluster do not rotate at once. `now` if there is no certificate, if it lacks what the template lists, or if forced.
 */
export function rotationDeadline({ certificate, template, forceRotation, now, random }: RotationInput): bigint {
  if (forceRotation || !satisfiesTemplate(certificate, template)) return BigInt(now) * nsPerMs;
  const { notBefore, notAfter } = certificate;
  const lifetime = Number(BigInt(notAfter - notBefore) * nsPerMs);
  const jittered = BigInt(lifetime) + BigInt(Math.trunc(random * 0.2 * lifetime));
  return BigInt(notBefore) * nsPerMs + jittered - BigInt(Math.trunc(lifetime * 0.3));
}

/** Whether the certificate has the template's common name and all its names, addresses and organizations. It may have more. */
export function satisfiesTemplate<Template extends CertificateTemplate>(
  certificate: Template | undefined,
  template: CertificateTemplate | undefined,
): certificate is Template {
  if (certificate === undefined) return false;
  if (template === undefined) return true;
  const includesAll = (has: readonly string[], required: readonly string[]) => required.every((each) => has.includes(each));
  return (
    certificate.commonName === template.commonName &&
    includesAll(certificate.dnsNames, template.dnsNames) &&
    includesAll(certificate.ips, template.ips) &&
    includesAll(certificate.organizations, template.organizations)
  );
}

/** Whether a certificate can still be used: the kubelet does not check `notBefore`, because its clock may be behind the signer's. */
export function isUnexpired({ notAfter }: Pick<CertificateFacts, 'notAfter'>, now: number): boolean {
  return now <= notAfter;
}
