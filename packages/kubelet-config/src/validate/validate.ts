import { posix } from 'node:path';
import { labelValueProblems, qualifiedNameProblems } from '@nodeagent/api';
import { isGateEnabled } from '../feature-gates.js';
import type { KubeletConfiguration } from '../fields.js';
import { validateImagePullCredentials, validateParallelPulls } from './images.js';
import { validateNumbers } from './numbers.js';
import { nanosOf, Problems, second } from './problems.js';
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

/**
 * What is wrong with a configuration that has its defaults, in the kubelet's words and order; empty if a kubelet would start with it.
 * What is only checked where it is used (eviction thresholds, quantities, files) is not checked here.
 */
export function validateKubeletConfiguration(config: KubeletConfiguration): string[] {
  const problems = new Problems();
  validateNumbers(config, problems);
  validateParallelPulls(config, problems);
  validateServerBootstrap(config, problems);
  validateTaints(config, problems);
  problems.check(!config.runOnce, 'runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set');
  validateTopology(config, problems);
  validateShutdown(config, problems);
  validateRestartPeriod(config, problems);
  validateSwap(config, problems);
  validateEnforceNodeAllocatable(config, problems);
  validateHairpin(config, problems);
  validateUserNamespaces(config, problems);
  validateImagePullCredentials(config, problems);
  validateReservedMemory(config, problems);
  validateLogging(config, problems);
  validateTracing(config, problems);
  validateMemoryQos(config, problems);
  validatePodLogsDir(config, problems);
  validateReservedCpus(config, problems);
  validateSystemLogQuery(config, problems);
  validateContainerLogs(config, problems);
  return problems.list();
}

function validateServerBootstrap(config: KubeletConfiguration, problems: Problems): void {
  problems.check(
    !config.serverTLSBootstrap || isGateEnabled(config.featureGates, 'RotateKubeletServerCertificate'),
    'serverTLSBootstrap true requires feature gate RotateKubeletServerCertificate',
  );
}

function validateSystemLogQuery(config: KubeletConfiguration, problems: Problems): void {
  problems.check(
    !config.enableSystemLogQuery || config.enableSystemLogHandler !== false,
    'enableSystemLogHandler is required for enableSystemLogQuery',
  );
}

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateTaints({ registerWithTaints = [] }: KubeletConfiguration, problems: Problems): void {
  for (const { key = '', value = '', effect = '', timeAdded } of registerWithTaints) {
    const isValid = qualifiedNameProblems(key).length === 0 && labelValueProblems(value).length === 0 && taintEffects.includes(effect);
    if (!isValid) problems.add(`invalid taint: {${key} ${value} ${effect} ${timeAdded ?? '<nil>'}}`);
    problems.check(timeAdded === undefined, 'taint.TimeAdded is not nil');
  }
}

function validateHairpin({ hairpinMode = '' }: KubeletConfiguration, problems: Problems): void {
  problems.check(
    ['promiscuous-bridge', 'hairpin-veth', 'none'].includes(hairpinMode),
    `option "${hairpinMode}" specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"`,
  );
}

function validateLogging({ logging }: KubeletConfiguration, problems: Problems): void {
  const { format = 'text' } = logging ?? {};
  if (format !== 'text') problems.add(`logging.format: Invalid value: "${format}": Unsupported log format`);
}

function validateTracing({ tracing }: KubeletConfiguration, problems: Problems): void {
  const { samplingRatePerMillion: rate = 0 } = tracing ?? {};
  const invalid = `tracing.samplingRatePerMillion: Invalid value: ${rate}:`;
  if (rate < 0) problems.add(`${invalid} sampling rate must be positive`);
  if (rate > 1_000_000) problems.add(`${invalid} sampling rate per million must be less than or equal to one million`);
}

function validateContainerLogs(config: KubeletConfiguration, problems: Problems): void {
  problems.check((config.containerLogMaxFiles ?? 0) > 1, 'containerLogMaxFiles must be greater than 1');
  problems.check((config.containerLogMaxWorkers ?? 0) >= 1, 'containerLogMaxWorkers must be greater than or equal to 1');
  problems.check(
    nanosOf(config.containerLogMonitorInterval) >= 3n * second,
    'containerLogMonitorInterval must be a positive time duration greater than or equal to 3s',
  );
}

function validatePodLogsDir({ podLogsDir = '' }: KubeletConfiguration, problems: Problems): void {
  const path = `pod logs path "${podLogsDir}"`;
  problems.check(podLogsDir !== '', 'podLogsDir was not specified');
  problems.check(posix.isAbsolute(podLogsDir), `${path} must be absolute path`);
  const clean = posix.normalize(podLogsDir);
  problems.check(podLogsDir === (clean.length > 1 ? clean.replace(/\/$/, '') : clean), `${path} must be normalized`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
  problems.check(/^[\x00-\x7f]*$/.test(podLogsDir), `${path} mut contains ASCII characters only`);
}
