/** The subject of a certificate (RFC 5280). In Kubernetes: a user name and the user's groups. */
export interface CertificateSubject {
  commonName: string;
  organizations?: readonly string[];
}
