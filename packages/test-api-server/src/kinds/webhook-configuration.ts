import { dnsSubdomainProblems } from '@nodeagent/api/helpers';
import { loadExpressions } from '../admission/expressions/load.js';
import type { Webhook } from '../admission/webhooks/configuration.js';
import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';
import { conditionProblems, ruleProblems, unsupported } from './admission-fields.js';
import { clientConfigProblems } from './client-config.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';
import { fillIn } from './workloads.js';

const webhooksOf = ({ webhooks }: ApiObject) => (webhooks ?? []) as (Webhook & Record<string, unknown>)[];

const defaults = { failurePolicy: 'Fail', matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {}, timeoutSeconds: 10 };

function setDefaults(object: ApiObject): void {
  const isMutating = object.kind === 'MutatingWebhookConfiguration';
  for (const webhook of webhooksOf(object)) {
    fillIn(webhook, { ...defaults, ...(isMutating && { reinvocationPolicy: 'Never' }) });
    for (const rule of (webhook.rules ?? []) as Record<string, unknown>[]) fillIn(rule, { scope: '*' });
    if (webhook.clientConfig?.service) fillIn(webhook.clientConfig.service as unknown as Record<string, unknown>, { port: 443 });
  }
}

const known = {
  failurePolicy: ['Fail', 'Ignore'],
  matchPolicy: ['Equivalent', 'Exact'],
  reinvocationPolicy: ['IfNeeded', 'Never'],
};

function webhookProblems(webhook: Webhook, at: string, context: ApiContext): KindFieldProblem[] {
  const { name = '', sideEffects, timeoutSeconds = 10, admissionReviewVersions = [], rules = [], matchConditions = [] } = webhook;
  const invalid = (field: string, value: unknown, rule: string) => ({
    field: `${at}.${field}`,
    problem: `Invalid value: ${JSON.stringify(value)}: ${rule}`,
  });
  const required = (field: string, rule: string) => ({ field: `${at}.${field}`, problem: `Required value: ${rule}` });
  const hasName = dnsSubdomainProblems(name).length === 0 && name.split('.').length >= 3;
  return [
    ...(hasName ? [] : [invalid('name', name, 'should be a domain with at least three segments separated by dots')]),
    ...(admissionReviewVersions.length === 0 ? [required('admissionReviewVersions', 'must specify one of v1, v1beta1')] : []),
    ...(admissionReviewVersions.length > 0 && !admissionReviewVersions.some((version) => ['v1', 'v1beta1'].includes(version))
      ? [invalid('admissionReviewVersions', admissionReviewVersions, 'must include at least one of v1, v1beta1')]
      : []),
    ...(rules ?? []).flatMap((rule, index) => ruleProblems(rule, `${at}.rules[${index}]`)),
    ...Object.entries(known).flatMap(([field, values]) => unsupported(`${at}.${field}`, webhook[field as keyof typeof known], values)),
    ...(sideEffects === undefined
      ? [required('sideEffects', 'must specify one of None, NoneOnDryRun')]
      : unsupported(`${at}.sideEffects`, sideEffects, ['None', 'NoneOnDryRun'])),
    ...(timeoutSeconds >= 1 && timeoutSeconds <= 30
      ? []
      : [invalid('timeoutSeconds', timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')]),
    ...clientConfigProblems(webhook.clientConfig ?? {}, `${at}.clientConfig`),
    ...conditionProblems(matchConditions, `${at}.matchConditions`, (expression) => {
      const expressions = loadExpressions(context);
      return expressions?.expressionProblem(expression, expressions.webhookEnvironment);
    }),
  ];
}

export const webhookConfigurationRules: KindRules = {
  prepareCreate: setDefaults,
  prepareUpdate: setDefaults,
  validate(object, context) {
    const webhooks = webhooksOf(object);
    const names = webhooks.map(({ name }) => name);
    return webhooks.flatMap((webhook, index) => {
      const at = `webhooks[${index}]`;
      const repeated = names.indexOf(webhook.name) < index;
      return [
        ...(repeated ? [{ field: `${at}.name`, problem: `Duplicate value: ${JSON.stringify(webhook.name)}` }] : []),
        ...webhookProblems(webhook, at, context),
      ];
    });
  },
};
