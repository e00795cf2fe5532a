import { isObject } from '@nodeagent/api/helpers';
import { type ApiContext, newUid } from '../context.js';
import { type ApiObject, groupVersion, splitApiVersion } from '../objects.js';
import { internalError } from '../status.js';
import { askWebhook } from '../webhooks/ask-webhook.js';
import { specOf } from './definition-spec.js';
import type { VersionConverter } from './version-converter.js';

/** Time that a conversion may take, in seconds. */
const timeoutSeconds = 30;

/** The converter of a definition with the strategy Webhook. */
export function webhookConverter(definition: ApiObject, context: ApiContext): VersionConverter | undefined {
  const { group = '', names, conversion } = specOf(definition);
  const { clientConfig, conversionReviewVersions = [] } = conversion?.webhook ?? {};
  if (conversion?.strategy !== 'Webhook' || !clientConfig) return undefined;
  const version = conversionReviewVersions.find((each) => each === 'v1' || each === 'v1beta1') ?? 'v1';
  return {
    async convert(objects, apiVersion) {
      const uid = newUid(context);
      const review = {
        kind: 'ConversionReview',
        apiVersion: groupVersion('apiextensions.k8s.io', version),
        request: { uid, desiredAPIVersion: apiVersion, objects },
      };
      const first = objects[0] as ApiObject;
      const { group: from, version: fromVersion } = splitApiVersion(first.apiVersion ?? '');
      const failed = (why: string) =>
        internalError(`conversion webhook for ${groupVersion(from || group, fromVersion)}, Kind=${names?.kind} failed: ${why}`);
      let answer: unknown;
      try {
        answer = await askWebhook(context, clientConfig, review, timeoutSeconds);
      } catch (error) {
        throw failed(error instanceof Error ? error.message : String(error));
      }
      const problem = reviewProblem(answer, review.apiVersion, uid);
      if (problem) throw failed(problem);
      const { convertedObjects = [] } = (answer as Answer).response;
      if (convertedObjects.length !== objects.length) {
        throw failed(`webhook returned ${convertedObjects.length} objects, expected ${objects.length}`);
      }
      return objects.map((object, index) => {
        const found = convertedObject(object, convertedObjects[index], apiVersion);
        if (typeof found === 'string') throw failed(`invalid converted object at index ${index}: ${found}`);
        return found;
      });
    },
  };
}

interface Answer {
  response: { uid?: unknown; convertedObjects?: unknown[]; result?: { status?: unknown; message?: unknown } };
}

/** Why an answer is no successful review. */
function reviewProblem(answer: unknown, apiVersion: string, uid: string): string | undefined {
  if (!isObject(answer)) return 'expected webhook response of an object';
  if (answer.kind !== 'ConversionReview' || answer.apiVersion !== apiVersion) {
    return `expected webhook response of ${apiVersion}, Kind=ConversionReview, got ${String(answer.apiVersion)}, Kind=${String(answer.kind)}`;
  }
  const { response } = answer;
  if (!isObject(response)) return 'no response provided';
  if (response.uid !== uid) return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`;
  const { result, convertedObjects } = response as Answer['response'];
  if (!isObject(result) || result.status !== 'Success') {
    const message = isObject(result) && typeof result.message === 'string' ? result.message : '';
    if (!isObject(result) || !result.status) return 'response.result.status was empty';
    return message || `response.result.status was '${String(result.status)}', not 'Success'`;
  }
  return convertedObjects === undefined || Array.isArray(convertedObjects) ? undefined : 'response.convertedObjects is not a list';
}

/** The metadata that a conversion may change. */
const changeable = ['labels', 'annotations'];

/** A converted object with the metadata of the original, except for what a conversion may change; or what is wrong with it. */
function convertedObject(original: ApiObject, converted: unknown, apiVersion: string): ApiObject | string {
  if (!isObject(converted) || !isObject(converted.metadata)) return 'missing metadata in converted object';
  const { metadata } = converted;
  if (converted.apiVersion !== apiVersion) return `expected apiVersion ${apiVersion}, got ${String(converted.apiVersion)}`;
  if (converted.kind !== original.kind) return `expected kind ${original.kind}, got ${String(converted.kind)}`;
  for (const field of ['name', 'namespace', 'uid'] as const) {
    if ((metadata[field] ?? '') !== (original.metadata[field] ?? ''))
      return `must have the same ${field}: ${String(metadata[field])} != ${original.metadata[field]}`;
  }
  const { labels: _labels, annotations: _annotations, ...fixed } = original.metadata;
  const changed = Object.fromEntries(changeable.flatMap((field) => (metadata[field] === undefined ? [] : [[field, metadata[field]]])));
  return { ...converted, metadata: { ...fixed, ...changed } } as ApiObject;
}
