import { errorMessage } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import type { AdmissionRequest } from '../../access/admission-request.js';
import { type ApiContext, kept } from '../../context.js';
import type { ApiObject } from '../../objects.js';
import { jsonPatch } from '../../patch/json-patch.js';
import type { ServedResource } from '../../registry/resource.js';
import { badRequest, internalError } from '../../status.js';
import { askWebhook } from '../../webhooks/ask-webhook.js';
import { type ReviewRequest, reviewRequestOf } from '../admission-review.js';
import { Expressions, requestVariables, webhookEnvironment } from '../expressions/expressions.js';
import { objectOf } from '../plugin.js';
import { refused } from '../refuse.js';
import { replaceContent } from '../replace-content.js';
import { matchingVersion } from '../rules.js';
import { type ConfiguredWebhook, mutatingConfigurations, validatingConfigurations, webhooksOf } from './configuration.js';
import { denial, readResponse, type WebhookResponse } from './response.js';

const defaultTimeoutSeconds = 10;

/** A webhook that gets a request, and the request in its version. */
interface Addressed {
  configured: ConfiguredWebhook;
  version: ServedResource;
  review: ReviewRequest;
}

/**
 * Calls the mutating webhooks one after the other, and those with the policy `IfNeeded` once more if a later one changed the object. Throws if
 * one denies the request.
 */
export function mutateByWebhooks(request: AdmissionRequest, context: ApiContext): void {
  const webhooks = webhooksOf(context.store.list(mutatingConfigurations));
  const called = new Map<ConfiguredWebhook, number>();
  let changes = 0;
  const call = (configured: ConfiguredWebhook, again: boolean) => {
    const addressed = addressedTo(configured, request, context);
    if (addressed === undefined) return;
    const response = answered([addressed], request, context, true)[0];
    if (response && apply(response, addressed, request, context)) changes++;
    if (!again) called.set(configured, changes);
  };
  for (const configured of webhooks) call(configured, false);
  for (const [configured, seen] of called) {
    if (configured.webhook.reinvocationPolicy === 'IfNeeded' && seen < changes) call(configured, true);
  }
}

/** Calls the validating webhooks at the same time. Throws the denial of the first one. */
export function validateByWebhooks(request: AdmissionRequest, context: ApiContext): void {
  const webhooks = webhooksOf(context.store.list(validatingConfigurations));
  answered(
    webhooks.flatMap((configured) => addressedTo(configured, request, context) ?? []),
    request,
    context,
    false,
  );
}

/** Whether a webhook gets a request. Throws if a condition cannot be evaluated, or for a dry run that the webhook does not support. */
function addressedTo(configured: ConfiguredWebhook, request: AdmissionRequest, context: ApiContext): Addressed | undefined {
  const { webhook } = configured;
  const { rules = [], matchConditions = [], failurePolicy, sideEffects } = webhook;
  const version = matchingVersion(request, context, { ...webhook, rules: rules ?? [] });
  if (version === undefined) return undefined;
  request.setDefaults?.();
  const review = reviewRequestOf(request, context, version);
  if (matchConditions?.length) {
    try {
      if (!new Expressions(requestVariables(request, review, context)).meets(matchConditions, webhookEnvironment)) return undefined;
    } catch (error) {
      if (failurePolicy === 'Ignore') return undefined;
      throw refused(request, errorMessage(error));
    }
  }
  if (request.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun')
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  return { configured, version, review };
}

/** The responses, with their warnings and annotations passed on. Throws the first denial or failure. */
function answered(
  addressed: readonly Addressed[],
  request: AdmissionRequest,
  context: ApiContext,
  isMutating: boolean,
): (WebhookResponse | undefined)[] {
  if (addressed.length === 0) return [];
  const key = JSON.stringify(
    addressed.map(({ configured, review }) => [configured.id, { ...review, uid: '' }]),
    withoutManagedFields,
  );
  const outcomes = context.answers.of(key, () => Promise.all(addressed.map((each) => outcomeOf(each, context, isMutating))));
  return outcomes.map((outcome, index) => {
    const { configured } = addressed[index] as Addressed;
    const { name, failurePolicy } = configured.webhook;
    if ('failure' in outcome) {
      if (failurePolicy === 'Ignore') return undefined;
      throw internalError(`failed calling webhook ${JSON.stringify(name)}: ${outcome.failure}`);
    }
    const { response } = outcome;
    for (const text of response.warnings) request.warn?.(text);
    for (const [annotation, value] of Object.entries(response.auditAnnotations)) request.annotate?.(`${name}/${annotation}`, value);
    if (!response.allowed) throw denial(name, response);
    return response;
  });
}

/** Their times differ from one run of a request to the next. */
const withoutManagedFields = (field: string, value: unknown) => (field === 'managedFields' ? undefined : value);

type Outcome = { response: WebhookResponse } | { failure: string };

async function outcomeOf({ configured, review }: Addressed, context: ApiContext, isMutating: boolean): Promise<Outcome> {
  const { clientConfig, timeoutSeconds = defaultTimeoutSeconds } = configured.webhook;
  const body = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request: review };
  try {
    const answer = await askWebhook(context, clientConfig, body, timeoutSeconds);
    return { response: readResponse(answer, review.uid, isMutating) };
  } catch (error) {
    return { failure: errorMessage(error) };
  }
}

/** Applies the patch of a response to the object; returns whether that changed it. */
function apply({ patch }: WebhookResponse, { version, review }: Addressed, request: AdmissionRequest, context: ApiContext): boolean {
  if (patch === undefined || request.object === undefined) return false;
  if (request.verb === 'delete') return false;
  let patched: unknown;
  try {
    patched = jsonPatch(review.object, patch);
  } catch (error) {
    throw internalError(errorMessage(error));
  }
  if (equalJson(patched, review.object)) return false;
  replaceContent(objectOf(request), kept(context, version, patched as ApiObject));
  request.setDefaults?.();
  return true;
}
