import { dnsSubdomainProblems, isObject } from '@nodeagent/api/helpers';
import { loadExpressions } from '../admission/expressions/load.js';
import type { Webhook } from '../admission/webhooks/configuration.js';
import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';
import { conditionProblems, ruleProblems, unsupported } from './admission-fields.js';
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
    ...clientProblems(webhook, `${at}.clientConfig`),
    ...conditionProblems(matchConditions, `${at}.matchConditions`, (expression) => {
      const expressions = loadExpressions(context);
      return expressions?.expressionProblem(expression, expressions.webhookEnvironment);
    }),
  ];
}

function clientProblems({ clientConfig }: Webhook, at: string): KindFieldProblem[] {
  const { url, service, caBundle } = isObject(clientConfig) ? (clientConfig as Webhook['clientConfig']) : {};
  if ((url === undefined) === (service === undefined))
    return [{ field: at, problem: 'Required value: exactly one of url or service is required' }];
  const bundle =
    caBundle && !isPem(caBundle)
      ? [
          {
            field: `${at}.caBundle`,
            problem: `Invalid value: ${JSON.stringify(caBundle)}: unable to load root certificates: unable to parse bytes as PEM block`,
          },
        ]
      : [];
  if (url !== undefined) return [...bundle, ...urlProblems(url, `${at}.url`)];
  const { name, namespace, path, port = 443 } = service ?? { name: '', namespace: '' };
  return [
    ...bundle,
    ...Object.entries({ name, namespace }).flatMap(([field, value]) =>
      value ? [] : [{ field: `${at}.service.${field}`, problem: `Required value: service ${field} is required` }],
    ),
    ...(path === undefined || path.startsWith('/')
      ? []
      : [{ field: `${at}.service.path`, problem: `Invalid value: ${JSON.stringify(path)}: must start with a '/'` }]),
    ...(port >= 1 && port <= 65_535
      ? []
      : [{ field: `${at}.service.port`, problem: `Invalid value: ${port}: port is not valid: must be between 1 and 65535, inclusive` }]),
  ];
}

function isPem(caBundle: string): boolean {
  try {
    return atob(caBundle).includes('-----BEGIN CERTIFICATE-----');
  } catch {
    return false;
  }
}

const form = 'desired format: https://host[/path]';

function urlProblems(text: string, field: string): KindFieldProblem[] {
  const problem = (value: unknown, rule: string) => [{ field, problem: `Invalid value: ${JSON.stringify(value)}: ${rule}` }];
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return [{ field, problem: `Required value: url must be a valid URL: parse ${JSON.stringify(text)}: invalid URI; ${form}` }];
  }
  return [
    ...(url.protocol === 'https:' ? [] : problem(url.protocol.slice(0, -1), `'https' is the only allowed URL scheme; ${form}`)),
    ...(url.username || url.password ? problem(url.username, `user information is not permitted in the URL; ${form}`) : []),
    ...(url.hash ? problem(url.hash.slice(1), `fragments are not permitted in the URL; ${form}`) : []),
    ...(url.search ? problem(url.search.slice(1), `query parameters are not permitted in the URL; ${form}`) : []),
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
