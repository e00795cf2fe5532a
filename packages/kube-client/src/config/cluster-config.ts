/** PEM text, or a file of it that is read again each minute. */
export type Pem = { data: string } | { file: string };

/** A credential plugin (`client.authentication.k8s.io`). */
export interface ExecPluginConfig {
  apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  /** A name to look up in PATH, or an absolute path. */
  command: string;
  args: readonly string[];
  /** Added to the environment. */
  env: Readonly<Record<string, string>>;
  /** What to do if the program is missing. Default: none. */
  installHint?: string;
  /** Whether the plugin receives the cluster's server and CA. */
  provideClusterInfo: boolean;
  /** The cluster's `extensions` entry `client.authentication.k8s.io/exec`. Default: none. */
  clusterExtension?: unknown;
}

/** Identity of the client. At most one of `token`, `tokenFile` and `basic`, except that a `tokenFile` overrides a `token`. */
export interface ClientIdentity {
  clientCertificate?: Pem;
  clientKey?: Pem;
  token?: string;
  /** Read again each minute. Default: none. */
  tokenFile?: string;
  basic?: { username: string; password: string };
  exec?: ExecPluginConfig;
}

/** A cluster and the credentials for it: the result of {@link loadKubeconfig} or {@link inClusterConfig}, or an object literal. */
export interface ClusterConfig {
  /** `https://host:6443`, optionally with a base path of the API. */
  server: string;
  certificateAuthority?: Pem;
  /** The name that the server's certificate must have. Default: the host. */
  tlsServerName?: string;
  insecureSkipTlsVerify?: boolean;
  /** An HTTP proxy: `proxy-url` of a kubeconfig, else according to `HTTPS_PROXY` and `NO_PROXY`. */
  proxyUrl?: string;
  disableCompression?: boolean;
  /** The context's namespace. Default: none. */
  namespace?: string;
  identity?: ClientIdentity;
}

/** Reads the files of configuration and credentials. */
export interface KubeconfigFiles {
  /** The text of a file; rejects with an error of code `ENOENT` if there is none. */
  readFile(path: string): Promise<string>;
}
