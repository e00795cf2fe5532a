import { type Clock, NodeAgentError, withDeadline } from '@nodeagent/api';
import { encodeBase64, encodeUtf8, isObject, parseTime } from '@nodeagent/api/helpers';
import type { ClusterConfig, ExecPluginConfig } from '../config/cluster-config.js';
import { kubeClientErrorCodes } from '../errors.js';
import type { ProgramResult, RunProgram } from './run-program.js';
import { tokenProblem } from './token-problem.js';

/** The credentials of a plugin. */
export interface ExecCredential {
  token?: string;
  cert?: string;
  key?: string;
  /** Milliseconds since 1970; absent if the plugin sets no expiration. */
  expiresAt?: number;
}

/** A credential plugin whose credentials are cached until they expire. */
export interface ExecPlugin {
  get(): Promise<ExecCredential>;
  /** Call it when the server rejected the credentials: the plugin runs again before the next call, unless it just returned the same ones. */
  expire(): void;
}

const timeoutMs = 60_000;
const fruitlessPauseMs = 60_000;

/** Credential plugins: Kubernetes docs, "Authenticating", "client-go credential plugins". */
export function createExecPlugin(
  config: ExecPluginConfig,
  { cluster, run, clock }: { cluster: ClusterConfig & { caData?: () => Promise<string | undefined> }; run: RunProgram; clock: Clock },
): ExecPlugin {
  let credential: ExecCredential | undefined;
  let isExpired = false;
  let fruitlessSince = Number.NEGATIVE_INFINITY;
  let running: Promise<ExecCredential> | undefined;

  const runNow = async () => {
    const info = execInfo(config, cluster, await cluster.caData?.());
    const { command, args } = config;
    const env = { ...config.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
    const error = () => pluginError(config, `did not finish within ${timeoutMs / 1000} s`);
    const result = await withDeadline({ clock, timeoutMs: timeoutMs, error }, (signal) => run({ command, args, env, signal }));
    const found = readCredential(config, result);
    if (isExpired && found.token === credential?.token && found.cert === credential?.cert) fruitlessSince = clock.monotonic();
    isExpired = false;
    credential = found;
    return found;
  };

  return {
    async get() {
      if (credential !== undefined && !isExpired && (credential.expiresAt === undefined || clock.now() < credential.expiresAt))
        return credential;
      running ??= runNow().finally(() => {
        running = undefined;
      });
      return running;
    },
    expire() {
      isExpired = clock.monotonic() - fruitlessSince >= fruitlessPauseMs;
    },
  };
}

/** The ExecCredential in the plugin's environment variable `KUBERNETES_EXEC_INFO`. */
function execInfo({ apiVersion, provideClusterInfo, clusterExtension }: ExecPluginConfig, cluster: ClusterConfig, ca?: string): object {
  const about = {
    server: cluster.server,
    ...(cluster.tlsServerName === undefined ? {} : { 'tls-server-name': cluster.tlsServerName }),
    ...(cluster.insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': encodeBase64(encodeUtf8(ca)) }),
    ...(cluster.proxyUrl === undefined ? {} : { 'proxy-url': cluster.proxyUrl }),
    ...(cluster.disableCompression ? { 'disable-compression': true } : {}),
    ...(clusterExtension === undefined ? {} : { config: clusterExtension }),
  };
  return { apiVersion, kind: 'ExecCredential', spec: { interactive: false, ...(provideClusterInfo ? { cluster: about } : {}) } };
}

/** Parses the plugin's output. Errors never repeat its stdout, only the first line of its stderr. */
function readCredential(config: ExecPluginConfig, { exitCode, stdout, stderr, problem }: ProgramResult): ExecCredential {
  if (problem === 'ENOENT') throw pluginError(config, 'not found', config.installHint);
  if (exitCode !== 0) {
    const complaint = stderr.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
    const end = exitCode === undefined ? `could not run: ${problem}` : `exited with ${exitCode}`;
    throw pluginError(config, complaint === '' ? end : `${end}: ${complaint}`);
  }
  let answer: unknown;
  try {
    answer = JSON.parse(stdout);
  } catch {
    throw pluginError(config, 'output is not JSON');
  }
  if (!isObject(answer) || answer.kind !== 'ExecCredential') throw pluginError(config, 'output is not an ExecCredential');
  if (answer.apiVersion !== config.apiVersion) {
    throw pluginError(config, `output is an ExecCredential of ${String(answer.apiVersion)}, expected ${config.apiVersion}`);
  }
  const status = isObject(answer.status) ? answer.status : {};
  const token = text(status.token);
  const cert = text(status.clientCertificateData);
  const key = text(status.clientKeyData);
  if ((cert === undefined) !== (key === undefined))
    throw pluginError(config, 'output has a certificate without a key, or a key without a certificate');
  const unsendable = token === undefined ? undefined : tokenProblem(token);
  if (unsendable !== undefined) throw pluginError(config, `output: status.token ${unsendable}`);
  if (token === undefined && cert === undefined) throw pluginError(config, 'output has neither a token nor a certificate');
  const expiresAt = parseTime(text(status.expirationTimestamp));
  return {
    ...(token === undefined ? {} : { token }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function pluginError({ command }: ExecPluginConfig, problem: string, hint?: string): NodeAgentError {
  return new NodeAgentError(kubeClientErrorCodes.execPlugin, `credential plugin ${command}: ${problem}`, {
    retryable: true,
    details: { command },
    hint,
  });
}
