import type { ObjectMeta, OwnerReference, Pod } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import type { PodTemplate, Workload, Write } from './objects.js';

interface Owned {
  metadata?: ObjectMeta;
}

/** The objects that this object controls. */
export function controlledBy<T extends Owned>(objects: readonly T[], { metadata }: Workload): T[] {
  return objects.filter((object) =>
    object.metadata?.ownerReferences?.some(({ controller, uid }) => controller === true && uid === metadata.uid),
  );
}

/** The reference to the object that controls this one. */
export const controllerOf = ({ metadata }: Owned): OwnerReference | undefined =>
  metadata?.ownerReferences?.find(({ controller }) => controller === true);

export function controllerReference({ apiVersion, kind, metadata }: Workload): OwnerReference {
  return {
    apiVersion: apiVersion ?? '',
    kind: kind ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** A pod of the template for its controller; the API server generates its name. */
export function podFromTemplate(owner: Workload, { metadata, spec }: PodTemplate): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${owner.metadata.name}-`,
      ...(owner.metadata.namespace && { namespace: owner.metadata.namespace }),
      ...(metadata?.labels && { labels: metadata.labels }),
      ...(metadata?.annotations && { annotations: metadata.annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    spec,
  };
}

/** The write that updates the status; none if it is unchanged. */
export function statusWrites<T extends Workload>(object: T, status: NonNullable<T['status']>): Write[] {
  return equalJson(object.status ?? {}, status) ? [] : [{ verb: 'updateStatus', object: { ...object, status } as T }];
}

/** A number or a percentage of a total; a percentage is rounded up or down. */
export function scaledValue(value: number | string | undefined, total: number, round: (share: number) => number): number {
  return typeof value === 'string' ? round((Number.parseFloat(value) * total) / 100) : (value ?? 0);
}

/** The earliest of the defined times. */
export function earliest(times: readonly (number | undefined)[]): { againAt?: number } {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? { againAt: Math.min(...known) } : {};
}
