import { invalidOptionText, type NodeAgentError } from '@nodeagent/api';
import { trimImageName } from './pull-record.js';

/** KubeletConfiguration `imagePullCredentialsVerificationPolicy`: which present images a pod needs credentials for (KEP-2535). */
export type VerificationPolicy = 'NeverVerify' | 'NeverVerifyPreloadedImages' | 'NeverVerifyAllowlistedImages' | 'AlwaysVerify';

/** Whether a pod needs credentials for a present image. */
export type RequiresVerification = (image: string, pulledByKubelet: boolean) => boolean;

/** The policy as a function. Throws `InvalidOption` for an unknown policy or an invalid pattern. */
export function createVerificationPolicy(policy: VerificationPolicy, allowlist: readonly string[] = []): RequiresVerification {
  switch (policy) {
    case 'NeverVerify':
      return () => false;
    case 'AlwaysVerify':
      return () => true;
    case 'NeverVerifyPreloadedImages':
      return (_image, pulledByKubelet) => pulledByKubelet;
    case 'NeverVerifyAllowlistedImages': {
      const patterns = allowlist.map(parsePattern);
      return (image) => {
        const name = trimImageName(image);
        return !patterns.some((pattern) => (pattern.prefix ? name.startsWith(pattern.text) : name === pattern.text));
      };
    }
    default:
      throw invalid('imagePullCredentialsVerificationPolicy', policy, 'unknown policy');
  }
}

/** `name` for one image, `prefix/*` for all below a path. */
function parsePattern(pattern: string): { text: string; prefix: boolean } {
  const prefix = pattern.endsWith('/*');
  const text = prefix ? pattern.slice(0, -1) : pattern;
  const field = 'preloadedImagesVerificationAllowlist';
  if (pattern === '' || pattern === '/*') throw invalid(field, pattern, 'does not name an image');
  if (/\s/.test(pattern)) throw invalid(field, pattern, 'contains whitespace');
  if (text.includes('*')) throw invalid(field, pattern, '"*" is only allowed alone after the last "/"');
  if (!prefix && trimImageName(pattern) !== pattern) throw invalid(field, pattern, 'has a tag or digest');
  return { text, prefix };
}

function invalid(field: string, value: string, rule: string): NodeAgentError {
  return invalidOptionText(`settings.${field}`, `settings.${field}: ${JSON.stringify(value)} ${rule}`);
}
