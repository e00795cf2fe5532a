import { quoteText } from '@nodeagent/api/helpers';
import { isGateEnabled } from '../feature-gates.js';
import type { KubeletConfiguration } from '../fields.js';
import { imagePatternProblem } from './image-pattern.js';
import { type ConfigurationProblems, oneOf } from './problems.js';

export function validateParallelPulls(
  { maxParallelImagePulls: pulls, serializeImagePulls }: KubeletConfiguration,
  problems: ConfigurationProblems,
): void {
  if (pulls === undefined) return;
  problems.check(pulls >= 1, `maxParallelImagePulls ${pulls} must be a positive number`);
  problems.check(
    !(serializeImagePulls && pulls > 1),
    'maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false',
  );
}

const allowlisted = 'NeverVerifyAllowlistedImages';
const policies = ['NeverVerify', 'NeverVerifyPreloadedImages', allowlisted, 'AlwaysVerify'];

/** Verification of credentials for images that were pulled with another pod's credentials. */
export function validateImagePullCredentials(config: KubeletConfiguration, problems: ConfigurationProblems): void {
  const { imagePullCredentialsVerificationPolicy: policy = '', preloadedImagesVerificationAllowlist: patterns = [] } = config;
  if (!isGateEnabled(config.featureGates, 'KubeletEnsureSecretPulledImages')) {
    const demand = 'must not be set if KubeletEnsureSecretPulledImages feature gate is not enabled';
    problems.check(policy === '', `\`imagePullCredentialsVerificationPolicy\` ${demand}`);
    problems.check(patterns.length === 0, `\`preloadedImagesVerificationAllowlist\` ${demand}`);
    return;
  }
  problems.check(
    policies.includes(policy),
    `option ${quoteText(policy)} specified for imagePullCredentialsVerificationPolicy. Valid options are ${oneOf(policies, 'or')}`,
  );
  if (patterns.length === 0) return;
  if (policy !== allowlisted) {
    problems.check(
      false,
      `can't set \`preloadedImagesVerificationAllowlist\` if \`imagePullCredentialsVertificationPolicy\` is not "${allowlisted}"`,
    );
    return;
  }
  const problem = patterns.map(imagePatternProblem).find((each) => each !== undefined);
  problems.check(problem === undefined, `invalid image pattern in \`preloadedImagesVerificationAllowlist\`: ${problem}`);
}
