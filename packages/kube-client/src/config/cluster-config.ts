/** PEM text, or a file of it that is read again when it changes. */
export type Pem = { data: string } | { file: string };

/** A program that hands out credentials (client authentication, `client.authentication.k8s.io`). */
export interface ExecPluginConfig {
  apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  /** A name that is looked for in PATH, or an absolute path. */
  command: string;
  args: readonly string[];
  /** Added to the environment. */
  env: Readonly<Record<string, string>>;
  /** What to do if the program is missing. */
  installHint?: string;
  /** Tells the program which cluster it is for. */
  provideClusterInfo: boolean;
  /** The cluster's `extensions` entry `client.authentication.k8s.io/exec`. */
  clusterExtension?: unknown;
}

/** Who asks. At most one of `token`, `tokenFile` and `basic`, except that a `tokenFile` goes before a `token`. */
export interface ClientIdentity {
  clientCertificate?: Pem;
  clientKey?: Pem;
  token?: string;
  /** Read again each minute. */
  tokenFile?: string;
  basic?: { username: string; password: string };
  exec?: ExecPluginConfig;
}

/** A cluster and how to get into it: what {@link loadKubeconfig} and {@link inClusterConfig} make, or written by hand. */
export interface ClusterConfig {
  /** `https://host:6443`, also with a path below which the API lies. */
  server: string;
  certificateAuthority?: Pem;
  /** The name that the server's certificate must have. Default: the host. */
  tlsServerName?: string;
  insecureSkipTlsVerify?: boolean;
  /** An HTTP proxy; in a kubeconfig `proxy-url`, else what `HTTPS_PROXY` and `NO_PROXY` say. */
  proxyUrl?: string;
  disableCompression?: boolean;
  /** The context's namespace. */
  namespace?: string;
  identity?: ClientIdentity;
}

/** The files that configuration and credentials are read from. */
export interface KubeconfigFiles {
  /** The text of a file; rejects with an error of code `ENOENT` if there is none. */
  readFile(path: string): Promise<string>;
}
