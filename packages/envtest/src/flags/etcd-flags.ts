import { type FlagWording, type GoFlags, type KnownFlags, readGoFlags } from './go-flags.js';

const words = (text: string) => text.split(/\s+/).filter(Boolean);

/** The flags of etcd 3.4 to 3.6: etcd documentation, "Configuration options". */
const booleans = words(`
  initial-election-tick-advance strict-reconfig-check pre-vote enable-v2 client-cert-auth auto-tls peer-client-cert-auth
  peer-auto-tls enable-pprof force-new-cluster debug unsafe-no-fsync socket-reuse-port socket-reuse-address enable-log-rotation
  enable-grpc-gateway memory-mlock initial-corrupt-check compact-hash-check-enabled enable-distributed-tracing
  enable-lease-checkpoint peer-skip-client-san-verification experimental-initial-corrupt-check
  experimental-enable-lease-checkpoint experimental-enable-lease-checkpoint-persist experimental-peer-skip-client-san-verification
  experimental-memory-mlock experimental-compact-hash-check-enabled experimental-enable-distributed-tracing
  experimental-txn-mode-write-with-shared-buffer experimental-stop-grpc-service-on-defrag
`);

const values = words(`
  name data-dir wal-dir snapshot-count heartbeat-interval election-timeout listen-peer-urls listen-client-urls
  listen-client-http-urls max-snapshots max-wals quota-backend-bytes backend-bbolt-freelist-type backend-batch-interval
  backend-batch-limit max-txn-ops max-request-bytes max-concurrent-streams grpc-keepalive-min-time grpc-keepalive-interval
  grpc-keepalive-timeout initial-advertise-peer-urls initial-cluster initial-cluster-state initial-cluster-token
  advertise-client-urls discovery discovery-fallback discovery-proxy discovery-srv discovery-srv-name discovery-token
  discovery-endpoints auto-compaction-retention auto-compaction-mode v2-deprecation cert-file key-file client-cert-file
  client-key-file client-crl-file client-cert-allowed-hostname trusted-ca-file peer-cert-file peer-key-file peer-client-cert-file
  peer-client-key-file peer-trusted-ca-file peer-cert-allowed-cn peer-cert-allowed-hostname peer-crl-file
  self-signed-cert-validity tls-min-version tls-max-version cipher-suites cors host-whitelist auth-token bcrypt-cost
  auth-token-ttl metrics listen-metrics-urls logger log-outputs log-level log-format log-rotation-config-json proxy
  proxy-failure-wait proxy-refresh-interval proxy-dial-timeout proxy-write-timeout proxy-read-timeout log-package-levels
  config-file feature-gates corrupt-check-time compact-hash-check-time compaction-batch-limit compaction-sleep-interval
  watch-progress-notify-interval warning-apply-duration warning-unary-request-duration downgrade-check-time
  bootstrap-defrag-threshold-megabytes max-learners snapshot-catchup-entries distributed-tracing-address
  distributed-tracing-service-name distributed-tracing-instance-id distributed-tracing-sampling-rate
  experimental-corrupt-check-time experimental-compact-hash-check-time experimental-enable-v2v3
  experimental-backend-bbolt-freelist-type experimental-compaction-batch-limit experimental-compaction-sleep-interval
  experimental-watch-progress-notify-interval experimental-warning-apply-duration experimental-warning-unary-request-duration
  experimental-downgrade-check-time experimental-bootstrap-defrag-threshold-megabytes experimental-max-learners
  experimental-snapshot-catchup-entries experimental-wait-cluster-ready-timeout experimental-distributed-tracing-address
  experimental-distributed-tracing-service-name experimental-distributed-tracing-instance-id
  experimental-distributed-tracing-sampling-rate
`);

const known: KnownFlags = { booleans: new Set([...booleans, 'help', 'h', 'version']), values: new Set(values) };

const wording: FlagWording = {
  unknown: (name) => `flag provided but not defined: -${name}`,
  withoutValue: (name) => `flag needs an argument: -${name}`,
  invalidBoolean: (name, value) => `invalid boolean value "${value}" for -${name}: parse error`,
  positional: (args) => `'${args[0]}' is not a valid flag`,
};

/**
 * Reads the arguments of etcd.
 *
 * @throws NodeAgentError `InvalidFlag`, in the words of etcd
 */
export const readEtcdFlags = (args: readonly string[]): GoFlags => readGoFlags(args, known, wording);

/** The flags as `etcd --help` prints them, by which test frameworks detect its version. */
export const etcdHelp = `Usage:

  etcd [flags]
    Stands in for etcd: answers health checks and keeps the data of the kube-apiserver beside it.

Flags:
${[...booleans, ...values]
  .sort()
  .map((name) => `  --${name}\n`)
  .join('')}`;
