/** Where a framework has its files, and the ports that it has chosen. */
interface FrameworkPaths {
  /** With `apiserver.crt`, `apiserver.key`, `client.crt` and `tokens.csv`. */
  dir: string;
  etcdPort: number;
  peerPort: number;
  port: number;
}

/** How a framework starts the programs: their arguments, what it waits for, and how it stops them. */
export interface Framework {
  name: string;
  etcd(paths: FrameworkPaths): string[];
  server(paths: FrameworkPaths): string[];
  /** The path that answers with 200 once the server is ready. */
  ready: string;
  signal: 'SIGTERM' | 'SIGKILL';
}

const equals = (flags: Readonly<Record<string, string | number>>) => Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
const words = (flags: readonly [name: string, value: string | number][]) => flags.flatMap(([name, value]) => [name, String(value)]);

/** `EtcdProcess.java` and `KubeAPIServerProcess.java` of fabric8's kube-api-test; those of jenvtest are the same. */
const java: Framework = {
  name: 'fabric8 kube-api-test and jenvtest',
  etcd: ({ dir, etcdPort, peerPort }) =>
    words([
      ['-data-dir', `${dir}/data`],
      ['-wal-dir', `${dir}/wal`],
      ['--listen-client-urls', `http://0.0.0.0:${etcdPort}`],
      ['--advertise-client-urls', `http://0.0.0.0:${etcdPort}`],
      ['--initial-cluster', `default=http://localhost:${peerPort}`],
      ['--initial-advertise-peer-urls', `http://localhost:${peerPort}`],
      ['--listen-peer-urls', `http://localhost:${peerPort}`],
    ]),
  server: ({ dir, etcdPort, port }) => [
    ...words([
      ['--cert-dir', dir],
      ['--secure-port', port],
      ['--etcd-servers', `http://0.0.0.0:${etcdPort}`],
      ['--authorization-mode', 'RBAC'],
      ['--service-account-issuer', 'https://localhost'],
      ['--service-account-signing-key-file', `${dir}/apiserver.key`],
      ['--service-account-signing-key-file', `${dir}/apiserver.key`],
      ['--service-account-key-file', `${dir}/apiserver.key`],
      ['--service-account-issuer', `${dir}/apiserver.crt`],
      ['--disable-admission-plugins', 'ServiceAccount'],
      ['--client-ca-file', `${dir}/client.crt`],
      ['--service-cluster-ip-range', '10.0.0.0/24'],
    ]),
    '--allow-privileged',
  ],
  ready: '/readyz',
  signal: 'SIGKILL',
};

/** `Etcd.cs` and `ApiServer.cs` of Kubernetes.EnvTest for .NET: sorted by name, as of controller-runtime's envtest. */
const dotnet: Framework = {
  name: 'Kubernetes.EnvTest of .NET',
  etcd: ({ dir, etcdPort, peerPort }) =>
    equals({
      'advertise-client-urls': `http://127.0.0.1:${etcdPort}`,
      'data-dir': `${dir}/etcd`,
      'listen-client-urls': `http://127.0.0.1:${etcdPort}`,
      'listen-peer-urls': `http://127.0.0.1:${peerPort}`,
      'unsafe-no-fsync': 'true',
    }),
  server: ({ dir, etcdPort, port }) =>
    equals({
      'allow-privileged': 'true',
      'authorization-mode': 'RBAC',
      'bind-address': '127.0.0.1',
      'cert-dir': dir,
      'client-ca-file': `${dir}/client.crt`,
      'disable-admission-plugins': 'ServiceAccount',
      'etcd-servers': `http://127.0.0.1:${etcdPort}`,
      'secure-port': port,
      'service-account-issuer': `https://127.0.0.1:${port}/`,
      'service-account-key-file': `${dir}/apiserver.crt`,
      'service-account-signing-key-file': `${dir}/apiserver.key`,
      'service-cluster-ip-range': '10.0.0.0/24',
    }),
  ready: '/healthz',
  signal: 'SIGTERM',
};

/** The fixture for pytest in docs/envtest.md, which client-python was run with; the same flags were run with client-node and Ruby's kubeclient. */
const python: Framework = {
  name: 'the fixture for pytest',
  etcd: ({ dir, etcdPort, peerPort }) =>
    equals({
      'data-dir': `${dir}/etcd`,
      'listen-client-urls': `http://127.0.0.1:${etcdPort}`,
      'advertise-client-urls': `http://127.0.0.1:${etcdPort}`,
      'listen-peer-urls': `http://127.0.0.1:${peerPort}`,
    }),
  server: ({ dir, etcdPort, port }) =>
    equals({
      'etcd-servers': `http://127.0.0.1:${etcdPort}`,
      'secure-port': port,
      'bind-address': '127.0.0.1',
      'cert-dir': dir,
      'token-auth-file': `${dir}/tokens.csv`,
      'authorization-mode': 'RBAC',
      'service-account-issuer': `https://127.0.0.1:${port}/`,
      'service-account-key-file': `${dir}/apiserver.key`,
      'service-account-signing-key-file': `${dir}/apiserver.key`,
    }),
  ready: '/version',
  signal: 'SIGTERM',
};

/** Frameworks beside controller-runtime, whose flags Rust's crate `envtest` and Python's `kubernetes_lite` pass too: they contain it. */
export const frameworks: readonly Framework[] = [java, dotnet, python];
