import { clientConfigProblems } from '../kinds/client-config.js';
import type { KindFieldProblem } from '../kinds/kind-rules.js';
import type { DefinitionSpec } from './definition-spec.js';

const problem = (field: string, text: string): KindFieldProblem => ({ field, problem: text });

/** Validates how versions are converted. Kubernetes documentation, "Versions in CustomResourceDefinitions: Webhook conversion". */
export function conversionProblems(conversion: DefinitionSpec['conversion']): KindFieldProblem[] {
  const { strategy, webhook } = conversion ?? {};
  if (strategy !== 'None' && strategy !== 'Webhook') {
    return [
      problem('spec.conversion.strategy', `Unsupported value: ${JSON.stringify(strategy ?? '')}: supported values: "None", "Webhook"`),
    ];
  }
  if (strategy === 'None') {
    return webhook ? [problem('spec.conversion.webhook', 'Forbidden: should not be set when strategy is not set to Webhook')] : [];
  }
  if (!webhook?.clientConfig)
    return [problem('spec.conversion.webhook.clientConfig', 'Required value: required when strategy is set to Webhook')];
  const versions = webhook.conversionReviewVersions ?? [];
  const at = 'spec.conversion.webhook.conversionReviewVersions';
  if (versions.length === 0) return [problem(at, 'Required value')];
  const problems = clientConfigProblems(webhook.clientConfig, 'spec.conversion.webhook.clientConfig');
  if (!versions.some((version) => version === 'v1' || version === 'v1beta1')) {
    problems.push(problem(at, `Invalid value: ${JSON.stringify(versions)}: must include at least one of v1, v1beta1`));
  }
  return problems;
}
