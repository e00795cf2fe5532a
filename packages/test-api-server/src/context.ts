import { type Clock, formatTime, type Logger, type Random } from '@nodeagent/api';
import type { AdmissionRequest } from './access/node-restriction.js';
import type { RequestUser } from './access/user.js';
import type { ApiObject } from './objects.js';
import { groupVersion } from './objects.js';
import type { ResourceRegistry } from './registry/registry.js';
import type { ServedResource } from './registry/resource.js';
import type { ObjectTexts } from './requests/object-texts.js';
import type { ObjectStore } from './store/object-store.js';

/** What every operation of the server works with. */
export interface ApiContext {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Whether pods get a volume with a token of their service account, as a cluster gives it to them. */
  readonly automountServiceAccountTokens: boolean;
  /** How often watches that ask for bookmarks get one, in milliseconds. */
  readonly bookmarkPeriodMs: number;
  readonly texts: ObjectTexts;
  /** Throws what a user may not write; asked before every write that comes in by a request. */
  admit(request: AdmissionRequest): void;
}

/** Who writes, and how. */
export interface WriteOptions {
  user: RequestUser;
  /** In whose name fields are managed. */
  fieldManager: string;
  /** Everything is checked, nothing is kept. */
  dryRun?: boolean;
}

/** The current time as objects carry it. */
export function timestamp({ clock }: ApiContext): string {
  return formatTime(clock.now());
}

/** A random UUID of version 4. */
export function newUid({ random }: ApiContext): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  hex[12] = '4';
  hex[16] = (8 + Math.floor(random() * 4)).toString(16);
  const text = hex.join('');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}

const nameLetters = 'bcdfghjklmnpqrstvwxz2456789';

/** The five letters that follow `generateName`; none of them makes words. */
export function nameSuffix({ random }: ApiContext): string {
  return Array.from({ length: 5 }, () => nameLetters[Math.floor(random() * nameLetters.length)]).join('');
}

/** An object as the version of the resource shows it. */
export function shown(definition: ServedResource, stored: ApiObject): ApiObject {
  const apiVersion = groupVersion(definition.group, definition.version);
  const { kind } = definition;
  const same = stored.apiVersion === apiVersion && stored.kind === kind;
  const object = same ? stored : { ...stored, apiVersion, kind };
  return definition.fromStored ? definition.fromStored(object) : object;
}

/** An object of a version of the resource in the form that is kept. */
export function kept({ registry }: ApiContext, definition: ServedResource, object: ApiObject): ApiObject {
  const form = registry.storedForm(definition.storage) ?? definition;
  const stored = definition.toStored ? definition.toStored(object) : object;
  return { ...stored, apiVersion: groupVersion(form.group, form.version), kind: form.kind };
}
