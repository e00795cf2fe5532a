import type { LabelSelector } from '@nodeagent/api';
import type { ApiObject } from '../../objects.js';
import type { WebhookClientConfig } from '../../webhooks/client-config.js';
import type { MatchCondition } from '../expressions/expressions.js';
import type { Rule } from '../rules.js';

/** A webhook of a configuration: Kubernetes API reference, "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration". */
export interface Webhook {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: readonly Rule[];
  failurePolicy?: string;
  matchPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects?: string;
  timeoutSeconds?: number;
  admissionReviewVersions?: readonly string[];
  matchConditions?: readonly MatchCondition[];
  reinvocationPolicy?: string;
}

/** A webhook and the configuration that has it. */
export interface ConfiguredWebhook {
  /** Name and revision of the configuration, and the position in it. */
  id: string;
  configuration: string;
  webhook: Webhook;
}

export const mutatingConfigurations = 'admissionregistration.k8s.io/mutatingwebhookconfigurations';
export const validatingConfigurations = 'admissionregistration.k8s.io/validatingwebhookconfigurations';

/** All webhooks of configurations, which are sorted by name. */
export function webhooksOf(configurations: readonly ApiObject[]): ConfiguredWebhook[] {
  return configurations.flatMap(({ metadata, webhooks = [] }) =>
    ((webhooks ?? []) as Webhook[]).map((webhook, index) => ({
      id: `${metadata.name} ${metadata.resourceVersion} ${index}`,
      configuration: metadata.name ?? '',
      webhook,
    })),
  );
}
