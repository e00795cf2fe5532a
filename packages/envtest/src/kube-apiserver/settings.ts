import { type GoFlags, invalidFlag } from '../flags/go-flags.js';

/** What the flags of kube-apiserver ask of its stand-in. Paths are as given. */
export interface ApiServerSettings {
  host: string;
  port: number;
  /** The folder of `apiserver.crt` and `apiserver.key`; empty: they are kept in memory. */
  certDir: string;
  /** The certificate and its key, instead of those of `certDir`. */
  certificate?: { cert: string; key: string };
  clientCaFile?: string;
  tokenFile?: string;
  anonymous: boolean;
  rbac: boolean;
  serviceAccounts: { issuer: string; audiences: string[]; keyFiles: readonly string[]; signingKeyFile: string };
  serviceClusterIPRange: string;
  enableAdmissionPlugins: string[];
  disableAdmissionPlugins: string[];
  etcdUrl: string;
  etcdPrefix: string;
}

/** Admission plugins of kube-apiserver that the stand-in does not have. */
const missingPlugins = new Set([
  ...['AlwaysAdmit', 'AlwaysDeny', 'AlwaysPullImages', 'ClusterTrustBundleAttest', 'DenyServiceExternalIPs', 'EventRateLimit'],
  ...['ExtendedResourceToleration', 'ImagePolicyWebhook', 'JobValidation', 'LimitPodHardAntiAffinityTopology', 'NamespaceAutoProvision'],
  ...['NamespaceExists', 'NodeDeclaredFeatureValidator', 'OwnerReferencesPermissionEnforcement', 'PodNodeSelector'],
  ...['PodTolerationRestriction', 'PodTopologyLabels'],
]);

const defaultPort = 6443;
/** The range of a kube-apiserver without the flag. */
const defaultRange = '10.0.0.0/24';

/**
 * The settings of the flags, with kube-apiserver's defaults.
 *
 * @throws NodeAgentError `InvalidFlag`, in the words of kube-apiserver
 */
export function apiServerSettings(flags: GoFlags): ApiServerSettings {
  const modes = flags.list('authorization-mode');
  const allowsAll = modes.length === 0 || modes.includes('AlwaysAllow');
  const [cert, key] = [flags.text('tls-cert-file'), flags.text('tls-private-key-file')];
  const [clientCaFile, tokenFile] = [flags.text('client-ca-file'), flags.text('token-auth-file')];
  const audiences = flags.list('api-audiences');
  const issuer = flags.all('service-account-issuer')[0] ?? '';
  const keyFiles = flags.all('service-account-key-file');
  const signingKeyFile = flags.text('service-account-signing-key-file') ?? '';
  const etcdUrl = flags.list('etcd-servers')[0] ?? '';
  const problems = [
    ...(etcdUrl ? [] : ['--etcd-servers must be specified']),
    ...(issuer ? [] : ['service-account-issuer is a required flag']),
    ...(signingKeyFile ? [] : ['--service-account-signing-key-file and --service-account-issuer are required flags']),
    ...(cert === undefined || key !== undefined ? [] : ['tls-private-key-file is required with tls-cert-file']),
  ];
  if (problems.length > 0) throw invalidFlag(problems.length > 1 ? `[${problems.join(', ')}]` : String(problems[0]));
  return {
    host: flags.text('bind-address') ?? '0.0.0.0',
    port: portOf(flags),
    certDir: flags.text('cert-dir') ?? '/var/run/kubernetes',
    ...(cert && key && { certificate: { cert, key } }),
    ...(clientCaFile && { clientCaFile }),
    ...(tokenFile && { tokenFile }),
    // Kubernetes documentation, "Authenticating: Anonymous requests": never with AlwaysAllow.
    anonymous: !allowsAll && (flags.text('anonymous-auth') === undefined || flags.isSet('anonymous-auth')),
    rbac: !allowsAll,
    serviceAccounts: { issuer, audiences: audiences.length > 0 ? audiences : [issuer], keyFiles, signingKeyFile },
    serviceClusterIPRange: flags.list('service-cluster-ip-range')[0] ?? defaultRange,
    enableAdmissionPlugins: present(flags.list('enable-admission-plugins')),
    disableAdmissionPlugins: present(flags.list('disable-admission-plugins')),
    etcdUrl,
    etcdPrefix: flags.text('etcd-prefix') ?? '/registry',
  };
}

/** What a folder of stand-ins has beside an API server. */
export interface ClusterChoice {
  /** Number of nodes, on which pods run. Default 0. */
  nodes?: number;
  /** Whether a scheduler and the controllers of workloads run; with nodes they always do. Default false. */
  controllers?: boolean;
}

/**
 * The admission plugins to run beside those of the test server's default: those that kube-apiserver runs unless they are disabled. The taint of
 * new nodes would stay where a scheduler, but no controller of nodes runs.
 */
export function enabledPlugins(
  { enableAdmissionPlugins, disableAdmissionPlugins }: ApiServerSettings,
  { nodes = 0, controllers = false }: ClusterChoice,
): string[] {
  const defaults = ['StorageObjectInUseProtection', ...(controllers && nodes === 0 ? [] : ['TaintNodesByCondition'])];
  return [...defaults.filter((name) => !disableAdmissionPlugins.includes(name)), ...enableAdmissionPlugins];
}

const present = (plugins: string[]) => plugins.filter((name) => !missingPlugins.has(name));

function portOf(flags: GoFlags): number {
  const given = flags.text('secure-port') ?? String(defaultPort);
  if (!/^-?\d+$/.test(given)) {
    throw invalidFlag(`invalid argument "${given}" for "--secure-port" flag: strconv.ParseInt: parsing "${given}": invalid syntax`);
  }
  const port = Number(given);
  if (port >= 1 && port <= 65_535) return port;
  throw invalidFlag(`--secure-port ${given} must be between 1 and 65535, inclusive. It cannot be turned off with 0`);
}
