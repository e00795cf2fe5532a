import { isGateEnabled } from '../feature-gates.js';
import type { KubeletConfiguration } from '../fields.js';
import { type ConfigurationProblems, nanosOf, second } from './problems.js';

/** Graceful node shutdown periods. */
export function validateShutdown(config: KubeletConfiguration, problems: ConfigurationProblems): void {
  const {
    shutdownGracePeriod: total,
    shutdownGracePeriodCriticalPods: critical,
    shutdownGracePeriodByPodPriority: byPriority = [],
  } = config;
  const [all, last] = [nanosOf(total), nanosOf(critical)];
  const isSet = all > 0n || last > 0n;
  if (isGateEnabled(config.featureGates, 'GracefulNodeShutdown')) {
    const rule = 'must be either zero or otherwise >= 1 sec';
    problems.check(last <= all, `shutdownGracePeriodCriticalPods {${critical}} must be <= shutdownGracePeriod {${total}}`);
    problems.check(all === 0n || all >= second, `shutdownGracePeriod {${total}} ${rule}`);
    problems.check(last === 0n || last >= second, `shutdownGracePeriodCriticalPods {${critical}} ${rule}`);
  } else {
    const rule = 'requires feature gate GracefulNodeShutdown';
    problems.check(!isSet, `specifying shutdownGracePeriod or shutdownGracePeriodCriticalPods ${rule}`);
  }
  if (byPriority.length === 0) return;
  if (isGateEnabled(config.featureGates, 'GracefulNodeShutdownBasedOnPodPriority')) {
    problems.check(!isSet, 'Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time');
  } else {
    const rule = 'requires feature gate GracefulNodeShutdownBasedOnPodPriority';
    problems.check(false, `Specifying shutdownGracePeriodByPodPriority ${rule}`);
  }
}
