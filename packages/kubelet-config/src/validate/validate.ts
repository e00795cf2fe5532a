import { isAbsolute, labelValueProblems, normalize, qualifiedNameProblems, quoteText } from '@nodeagent/api/helpers';
import { isGateEnabled } from '../feature-gates.js';
import type { KubeletConfiguration } from '../fields.js';
import { formatGoTime } from './format.js';
import { validateImagePullCredentials, validateParallelPulls } from './images.js';
import { validateLogging } from './logging.js';
import { validateNumbers } from './numbers.js';
import { type ConfigurationProblems, createConfigurationProblems, nanosOf, second } from './problems.js';
import {
  validateEnforceNodeAllocatable,
  validateMemoryQos,
  validateReservedCpus,
  validateReservedMemory,
  validateRestartPeriod,
  validateSwap,
  validateTopology,
  validateUserNamespaces,
} from './resources.js';
import { validateShutdown } from './shutdown.js';
import { validateTracing } from './tracing.js';

export interface ValidationOptions {
  /** The supported values of `logging.format`. Default: the kubelet's, `text` and `json`. */
  logFormats?: readonly string[];
}

/**
 * Returns all errors of a configuration with defaults, in the kubelet's words and order; empty if a kubelet would start with it. It does
 * not validate what the kubelet validates at use: eviction thresholds, quantities, files.
 */
export function validateKubeletConfiguration(config: KubeletConfiguration, options: ValidationOptions = {}): string[] {
  const { logFormats = ['text', 'json'] } = options;
  const problems = createConfigurationProblems();
  validateNumbers(config, problems);
  validateParallelPulls(config, problems);
  validateServerBootstrap(config, problems);
  problems.check(!config.runOnce, 'runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set');
  validateTaints(config, problems);
  validateTopology(config, problems);
  validateShutdown(config, problems);
  validateSwap(config, problems);
  validateRestartPeriod(config, problems);
  validateEnforceNodeAllocatable(config, problems);
  validateHairpin(config, problems);
  validateImagePullCredentials(config, problems);
  validateReservedCpus(config, problems);
  validateReservedMemory(config, problems);
  validateUserNamespaces(config, problems);
  validateHiddenMetrics(config, problems);
  validateLogging(config, logFormats, problems);
  validateTracing(config, problems);
  validateMemoryQos(config, problems);
  validateSystemLogQuery(config, problems);
  validateContainerLogs(config, problems);
  validatePodLogsDir(config, problems);
  return problems.list();
}

function validateServerBootstrap(config: KubeletConfiguration, problems: ConfigurationProblems): void {
  problems.check(
    !config.serverTLSBootstrap || isGateEnabled(config.featureGates, 'RotateKubeletServerCertificate'),
    'serverTLSBootstrap true requires feature gate RotateKubeletServerCertificate',
  );
}

function validateSystemLogQuery(config: KubeletConfiguration, problems: ConfigurationProblems): void {
  problems.check(
    !config.enableSystemLogQuery || config.enableSystemLogHandler !== false,
    'enableSystemLogHandler is required for enableSystemLogQuery',
  );
}

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateTaints({ registerWithTaints = [] }: KubeletConfiguration, problems: ConfigurationProblems): void {
  for (const { key = '', value = '', effect = '', timeAdded } of registerWithTaints) {
    const hasEffect = effect === '' || taintEffects.includes(effect);
    const isValid = qualifiedNameProblems(key).length === 0 && labelValueProblems(value).length === 0 && hasEffect;
    const added = timeAdded === undefined ? '<nil>' : formatGoTime(timeAdded);
    if (!isValid) problems.add(`invalid taint: {${key} ${value} ${effect} ${added}}`);
    problems.check(timeAdded === undefined, 'taint.TimeAdded is not nil');
  }
}

function validateHairpin({ hairpinMode = '' }: KubeletConfiguration, problems: ConfigurationProblems): void {
  problems.check(
    ['promiscuous-bridge', 'hairpin-veth', 'none'].includes(hairpinMode),
    `option ${quoteText(hairpinMode)} specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"`,
  );
}

/** The minor version before that of the supported kubelet. */
const previousVersion = '1.35';

function validateHiddenMetrics({ showHiddenMetricsForVersion: version = '' }: KubeletConfiguration, problems: ConfigurationProblems): void {
  const rule = `must be omitted or have the value '${previousVersion}'; only the previous minor version is allowed`;
  if (version !== '' && version !== previousVersion)
    problems.add(`invalid showHiddenMetricsForVersion: showHiddenMetricsForVersion: Invalid value: ${quoteText(version)}: ${rule}`);
}

function validateContainerLogs(config: KubeletConfiguration, problems: ConfigurationProblems): void {
  problems.check((config.containerLogMaxWorkers ?? 0) >= 1, 'containerLogMaxWorkers must be greater than or equal to 1');
  problems.check(
    nanosOf(config.containerLogMonitorInterval) >= 3n * second,
    'containerLogMonitorInterval must be a positive time duration greater than or equal to 3s',
  );
  problems.check((config.containerLogMaxFiles ?? 0) > 1, 'containerLogMaxFiles must be greater than 1');
}

function validatePodLogsDir({ podLogsDir = '' }: KubeletConfiguration, problems: ConfigurationProblems): void {
  const path = `pod logs path ${quoteText(podLogsDir)}`;
  problems.check(podLogsDir !== '', 'podLogsDir was not specified');
  problems.check(isAbsolute(podLogsDir), `${path} must be absolute path`);
  const clean = normalize(podLogsDir);
  problems.check(podLogsDir === (clean.length > 1 ? clean.replace(/\/$/, '') : clean), `${path} must be normalized`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  problems.check(/^[\x00-\x7f]*$/.test(podLogsDir), `${path} mut contains ASCII characters only`);
}
