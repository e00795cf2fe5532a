/** The keys of service account tokens, which other programs can verify: RFC 7515 and RFC 7517. */
export interface TokenKeys {
  /** The header fields `alg` and `kid` of signed tokens. */
  header: { alg: string; kid: string };
  /** Signs a text; returns the signature in base64url. */
  sign(text: string): string;
  /** Whether one of the keys signed the text. Must not throw for a signature that is no base64url. */
  verify(text: string, signature: string): boolean;
  /** The public keys in the JWK format. */
  keys: readonly object[];
}

/** Issuer, audiences and keys of service account tokens: the flags `--service-account-issuer`, `--api-audiences` and others of kube-apiserver. */
export interface ServiceAccountOptions {
  /** Default: `https://kubernetes.default.svc.cluster.local`. */
  issuer?: string;
  /** The audiences of the API server, of which the first is that of tokens that request none. Default: the issuer. */
  audiences?: readonly string[];
  /** Default: a key with which only this server can verify tokens. */
  keys?: TokenKeys;
}

export const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

/** The OpenID configuration of the issuer: Kubernetes documentation, "Configure Service Accounts for Pods: ServiceAccount Issuer Discovery". */
export function openIdConfiguration({ issuer = defaultIssuer, keys }: ServiceAccountOptions): object {
  return {
    issuer,
    jwks_uri: new URL('/openid/v1/jwks', issuer).href,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [keys?.header.alg],
  };
}
