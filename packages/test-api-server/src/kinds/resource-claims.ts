import type { Device, ResourceClaimSpec } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { ApiObject } from '../objects.js';
import type { KindRules } from './kind-rules.js';
import { immutable } from './workloads.js';

/** The defaults of the requests of a claim: Kubernetes API reference, "ResourceClaim v1". */
function setRequestDefaults(spec: ResourceClaimSpec | undefined): void {
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    for (const request of exactly ? [exactly] : firstAvailable) {
      request.allocationMode ||= 'ExactCount';
      if (request.allocationMode === 'ExactCount') request.count ||= 1;
    }
  }
}

export const resourceClaimRules: KindRules = {
  applyDefaults: ({ spec }) => setRequestDefaults(spec as ResourceClaimSpec | undefined),
  validateUpdate: immutable('devices'),
};

export const resourceClaimTemplateRules: KindRules = {
  applyDefaults: ({ spec }) => setRequestDefaults((spec as { spec?: ResourceClaimSpec } | undefined)?.spec),
  validateUpdate: immutable('spec', 'metadata'),
};

function setTaintTimes({ spec }: ApiObject, now: number): void {
  for (const { taints = [] } of (spec as { devices?: Device[] } | undefined)?.devices ?? []) {
    for (const taint of taints) taint.timeAdded ??= formatTime(now);
  }
}

export const resourceSliceRules: KindRules = {
  prepareCreate: (object, { clock }) => setTaintTimes(object, clock.now()),
  prepareUpdate: (object, _before, { clock }) => setTaintTimes(object, clock.now()),
};
