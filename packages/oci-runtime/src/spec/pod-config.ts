import type { PodSandboxConfig } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import { checkCgroupParent } from './cgroup-path.js';

/**
 * Checks the fields of a sandbox that become arguments of programs, lines of files, or paths.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT
 */
export function checkPodConfig({ metadata, hostname = '', dnsConfig = {}, linux }: PodSandboxConfig): void {
  if (!metadata?.name) throw invalidArgument('config.metadata.name', 'must not be empty');
  if (/[\0\s/]/.test(hostname)) throw invalidArgument('config.hostname', `"${hostname}" must have no spaces, no "/" and no NUL byte`);
  const lines = [dnsConfig.servers, dnsConfig.searches, dnsConfig.options].flatMap((each) => each ?? []);
  if (lines.some((text) => /[\0\r\n]/.test(text))) throw invalidArgument('config.dns_config', 'must have no line ends and no NUL bytes');
  checkCgroupParent(linux?.cgroupParent ?? '');
}
