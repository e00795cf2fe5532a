import type { ObjectMeta, Time } from './meta.js';

/** A request for a certificate (`certificates.k8s.io/v1`, `CertificateSigningRequest`). */
export interface CertificateSigningRequest {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: {
    /** The PEM of a PKCS#10 request, in base64. */
    request: string;
    /** Such as `kubernetes.io/kube-apiserver-client-kubelet`. */
    signerName: string;
    usages?: string[];
    expirationSeconds?: number;
    username?: string;
    uid?: string;
    groups?: string[];
    extra?: Record<string, string[]>;
  };
  status?: {
    /** The PEM of the chain, in base64. */
    certificate?: string;
    conditions?: CertificateSigningRequestCondition[];
  };
}

export interface CertificateSigningRequestCondition {
  /** `Approved`, `Denied` or `Failed`. */
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: Time | null;
  lastTransitionTime?: Time | null;
}

/** Requests a token of a service account (`authentication.k8s.io/v1`, `TokenRequest`); the response has the token in its status. */
export interface TokenRequest {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: {
    /** Empty for the audience of the API server. */
    audiences?: string[];
    expirationSeconds?: number;
    /** The token is valid only as long as this object exists. */
    boundObjectRef?: { apiVersion?: string; kind?: string; name?: string; uid?: string };
  };
  status?: { token: string; expirationTimestamp: Time };
}

/** Requests the authentication of a token (`authentication.k8s.io/v1`, `TokenReview`). */
export interface TokenReview {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: { token?: string; audiences?: string[] };
  status?: {
    authenticated?: boolean;
    user?: UserInfo;
    audiences?: string[];
    error?: string;
  };
}

/** A user (`authentication.k8s.io/v1`, `UserInfo`). */
export interface UserInfo {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

/** Requests the authorization of an action (`authorization.k8s.io/v1`, `SubjectAccessReview`). */
export interface SubjectAccessReview {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: {
    user?: string;
    uid?: string;
    groups?: string[];
    extra?: Record<string, string[]>;
    resourceAttributes?: {
      namespace?: string;
      verb?: string;
      group?: string;
      version?: string;
      resource?: string;
      subresource?: string;
      name?: string;
    };
    nonResourceAttributes?: { path?: string; verb?: string };
  };
  status?: { allowed: boolean; denied?: boolean; reason?: string; evaluationError?: string };
}
