import type { KindFieldProblem } from '../kinds/kind-rules.js';
import type { WebhookClientConfig } from '../webhooks/client-config.js';
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

function clientConfigProblems({ url, service }: WebhookClientConfig, field: string): KindFieldProblem[] {
  if ((url === undefined) === (service === undefined)) return [problem(field, 'Required value: exactly one of url or service is required')];
  if (service) {
    return Object.entries({ name: service.name, namespace: service.namespace })
      .filter(([, value]) => !value)
      .map(([name]) => problem(`${field}.service.${name}`, `Required value: service ${name} is required`));
  }
  const wrong = (text: string) => [problem(`${field}.url`, `Invalid value: ${JSON.stringify(url)}: ${text}`)];
  try {
    const { protocol, hash, search, username } = new URL(url ?? '');
    if (protocol !== 'https:') return wrong("'https' is the only allowed URL scheme; desired format: https://host[/path]");
    if (username) return wrong('user information is not permitted in the URL; desired format: https://host[/path]');
    if (hash) return wrong('fragments are not permitted in the URL; desired format: https://host[/path]');
    return search ? wrong('query parameters are not permitted in the URL; desired format: https://host[/path]') : [];
  } catch {
    return wrong('url must be a valid URL: invalid URI for request; desired format: https://host[/path]');
  }
}
