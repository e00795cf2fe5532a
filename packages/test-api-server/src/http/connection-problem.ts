const certificateCodes = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
];

/** Why a connection to a server with this name failed, in the words of an API server. */
export function connectionProblem(error: NodeJS.ErrnoException, name: string): string {
  const { code = '', message } = error;
  const { address, port } = error as { address?: string; port?: number };
  if (code === 'ECONNREFUSED') return `dial tcp ${address}:${port}: connect: connection refused`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${name}: no such host`;
  if (code === 'ECONNRESET') return 'EOF';
  if (code === 'CERT_HAS_EXPIRED') return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `tls: failed to verify certificate: x509: certificate is not valid for ${name}`;
  if (certificateCodes.includes(code)) return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  return message;
}
