import type { Clock, Logger, Random } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { AdmissionRequest } from './access/admission-request.js';
import type { Authorizer } from './access/authorizer.js';
import type { RequestUser } from './access/user.js';
import type { QuotaStatus } from './admission/resource-quota/quota-status.js';
import { customView, prepareViews, requireViews } from './custom-resources/custom-view.js';
import type { FieldValidation } from './fields/validation-level.js';
import type { ServiceUrls } from './network/service-endpoint.js';
import type { ApiObject } from './objects.js';
import { groupVersion } from './objects.js';
import type { ResourceRegistry } from './registry/registry.js';
import type { ServedResource } from './registry/resource.js';
import type { Answers } from './requests/known-answers.js';
import type { ObjectTexts } from './requests/object-texts.js';
import type { ServiceRange } from './start/service-range.js';
import type { ObjectStore } from './store/object-store.js';
import type { CallWebhook } from './webhooks/webhook-port.js';

/** Changes and checks writes: Kubernetes documentation, "Admission Control in Kubernetes". */
export interface Admission {
  /** Changes the object of a write before it is validated. Throws to refuse the write. */
  mutate(request: AdmissionRequest, context: ApiContext): void;
  /** Throws to refuse a write with a valid object. */
  validate(request: AdmissionRequest, context: ApiContext): void;
}

/** State and ports of the server's operations. */
export interface ApiContext {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Whether pods get a volume with their service account token, as in a cluster. */
  readonly automountServiceAccountTokens: boolean;
  /** Period of bookmarks, in milliseconds. */
  readonly bookmarkPeriodMs: number;
  /** The addresses of Services. */
  readonly serviceRange: ServiceRange;
  readonly texts: ObjectTexts;
  readonly authorize: Authorizer;
  readonly quotaStatus: QuotaStatus;
  /** Changes and checks every write, except those of the server itself. */
  readonly admission: Admission;
  /** The URLs of Services outside of the cluster's network. */
  readonly serviceUrls: ServiceUrls;
  /** Calls webhooks of admission and conversion. */
  readonly callWebhook: CallWebhook;
  /** What is known from outside of the process, for the operation that has this context. */
  readonly answers: Answers;
}

/** User and options of a write. */
export interface WriteOptions {
  user: RequestUser;
  /** The field manager. */
  fieldManager: string;
  /** Dry run: validates, but does not store. */
  dryRun?: boolean;
  /** What to do about unknown fields. Default: they are trusted, for writes of the server itself. */
  fieldValidation?: FieldValidation;
  /** The options of the request, such as `CreateOptions`. */
  options?: Readonly<Record<string, unknown>>;
  /** Sends the client a warning. Default: it is dropped. */
  warn?: (text: string) => void;
  /** Adds an annotation to the audit event. Default: it is dropped. */
  annotate?: ((key: string, value: string) => void) | undefined;
}

/** The current time in the format of the API. */
export function timestamp({ clock }: ApiContext): string {
  return formatTime(clock.now());
}

const hexDigits = '0123456789abcdef';

/** A random UUID of version 4. */
export function newUid({ random }: ApiContext): string {
  let hex = '';
  while (hex.length < 32) hex += hexDigits[Math.floor(random() * 16)];
  const variant = hexDigits[8 + Math.floor(random() * 4)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const nameLetters = 'bcdfghjklmnpqrstvwxz2456789';

/** The five characters after `generateName`, without vowels. */
export function nameSuffix({ random }: ApiContext): string {
  return Array.from({ length: 5 }, () => nameLetters[Math.floor(random() * nameLetters.length)]).join('');
}

/** Converts a stored object to the version of the resource. Throws `AnswerNeeded` if a webhook converts it. */
export function shown(definition: ServedResource, stored: ApiObject): ApiObject {
  const apiVersion = groupVersion(definition.group, definition.version);
  const { kind } = definition;
  if (definition.custom) return customView(definition.custom, stored, { apiVersion, kind });
  const same = stored.apiVersion === apiVersion && stored.kind === kind;
  const object = same ? stored : { ...stored, apiVersion, kind };
  return definition.fromStored ? definition.fromStored(object) : object;
}

/** Throws `AnswerNeeded`, once for all of the objects, if a webhook has to convert them before {@link shown}. */
export function requireShown({ custom, group, version, kind }: ServedResource, stored: readonly ApiObject[]): void {
  if (custom?.converter) requireViews(custom, stored, { apiVersion: groupVersion(group, version), kind });
}

/** Waits until a webhook has converted the objects, so that {@link shown} has them. */
export async function prepareShown({ custom, group, version, kind }: ServedResource, stored: readonly ApiObject[]): Promise<void> {
  if (custom?.converter) await prepareViews(custom, stored, { apiVersion: groupVersion(group, version), kind });
}

/**
 * Converts an object of a version of the resource to the form that operations work on: the stored one, except for custom resources that a
 * webhook converts, which keep their version until they are stored.
 */
export function kept({ registry }: ApiContext, definition: ServedResource, object: ApiObject): ApiObject {
  if (definition.custom?.converter)
    return { ...object, apiVersion: groupVersion(definition.group, definition.version), kind: definition.kind };
  const form = registry.storedForm(definition.storage) ?? definition;
  const stored = definition.toStored ? definition.toStored(object) : object;
  return { ...stored, apiVersion: groupVersion(form.group, definition.custom?.storageVersion ?? form.version), kind: form.kind };
}

/** A stored object in the form that operations work on, see {@link kept}. */
export function operationForm(definition: ServedResource, stored: ApiObject): ApiObject {
  return definition.custom?.converter ? shown(definition, stored) : stored;
}

/** The form in which an object is stored. Throws `AnswerNeeded` if a webhook converts it. */
export function storageForm({ answers }: ApiContext, { group, custom }: ServedResource, object: ApiObject): ApiObject {
  const apiVersion = groupVersion(group, custom?.storageVersion ?? '');
  if (!custom?.converter || object.apiVersion === apiVersion) return object;
  const { convert } = custom.converter;
  return answers.of(`convert ${apiVersion} ${JSON.stringify(object)}`, async () => (await convert([object], apiVersion))[0] as ApiObject);
}
