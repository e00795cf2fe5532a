import type { CertificateSigningRequest, Clock } from '@nodeagent/api';
import { parseTime } from '@nodeagent/api/helpers';
import type { Controller } from '../controller.js';
import { type ControllerObjects, type Place, placeOf, type StoredChange } from '../controller-objects.js';
import { Delays } from '../delays.js';

const storage = 'certificates.k8s.io/certificatesigningrequests';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * When a request is deleted, in milliseconds since 1970: an hour after it was denied, failed, or was approved with a certificate, otherwise after
 * a day. Kubernetes documentation, "Certificates and Certificate Signing Requests: Request signing process".
 */
export function requestEndsAt({ metadata, status }: CertificateSigningRequest): number | undefined {
  const { conditions = [], certificate } = status ?? {};
  const ends = conditions.flatMap(({ type, lastUpdateTime }) => {
    const at = parseTime(lastUpdateTime);
    if (at === undefined) return [];
    return [at + (type === 'Approved' && !certificate ? dayMs : hourMs)];
  });
  const createdAt = parseTime(metadata?.creationTimestamp);
  if (conditions.length === 0) return createdAt === undefined ? undefined : createdAt + dayMs;
  return ends.length > 0 ? Math.min(...ends) : undefined;
}

/** Deletes old CertificateSigningRequests. */
export class RequestCleaner implements Controller {
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #delays: Delays;

  constructor({ objects, clock, again }: { objects: ControllerObjects; clock: Clock; again: (place: Place) => void }) {
    this.#objects = objects;
    this.#clock = clock;
    this.#delays = new Delays(clock, again);
  }

  affected({ storage: changed, type, object }: StoredChange): Place[] {
    if (changed !== storage) return [];
    if (type === 'DELETED') this.#delays.cancel(placeOf(storage, object));
    return type === 'DELETED' ? [] : [placeOf(storage, object)];
  }

  covers(place: Place): boolean {
    return place.storage === storage;
  }

  reconcile(place: Place): void {
    const request = this.#objects.get(storage, undefined, place.name);
    const endsAt = request && requestEndsAt(request as CertificateSigningRequest);
    if (request === undefined || endsAt === undefined) return;
    if (endsAt < this.#clock.now()) this.#objects.delete(storage, request);
    else this.#delays.set(place, endsAt + 1);
  }

  stop(): void {
    this.#delays.stop();
  }
}
