import type { Clock, Logger, Random } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { Authorizer } from './access/authorizer.js';
import type { RequestUser } from './access/user.js';
import type { Admission } from './admission/chain.js';
import type { QuotaStatus } from './admission/resource-quota/quota-status.js';
import type { FieldValidation } from './fields/validation-level.js';
import type { ApiObject } from './objects.js';
import { groupVersion } from './objects.js';
import type { ResourceRegistry } from './registry/registry.js';
import type { ServedResource } from './registry/resource.js';
import type { Answers } from './requests/answers.js';
import type { ObjectTexts } from './requests/object-texts.js';
import type { ObjectStore } from './store/object-store.js';
import type { CallWebhook } from './webhooks/webhook-port.js';

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
  readonly texts: ObjectTexts;
  readonly authorize: Authorizer;
  readonly quotaStatus: QuotaStatus;
  /** Changes and checks every write, except those of the server itself. */
  readonly admission: Admission;
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

/** Converts a stored object to the version of the resource. */
export function shown(definition: ServedResource, stored: ApiObject): ApiObject {
  const apiVersion = groupVersion(definition.group, definition.version);
  const { kind } = definition;
  const same = stored.apiVersion === apiVersion && stored.kind === kind;
  const object = same ? stored : { ...stored, apiVersion, kind };
  return definition.fromStored ? definition.fromStored(object) : object;
}

/** Converts an object of a version of the resource to the stored form. */
export function kept({ registry }: ApiContext, definition: ServedResource, object: ApiObject): ApiObject {
  const form = registry.storedForm(definition.storage) ?? definition;
  const stored = definition.toStored ? definition.toStored(object) : object;
  return { ...stored, apiVersion: groupVersion(form.group, form.version), kind: form.kind };
}
