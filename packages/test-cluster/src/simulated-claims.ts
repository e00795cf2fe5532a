import { type Container, NodeAgentError, type ObjectGetter, type Pod, type ResourceClaim, type ResourceStatus } from '@nodeagent/api';
import { podKey, podUid } from '@nodeagent/api/helpers';
import type { AgentParts, Components } from '@nodeagent/core';
import { testClusterErrorCodes } from './errors.js';

type ClaimManager = NonNullable<AgentParts['dynamicResources']>;
type Devices = NonNullable<NonNullable<NonNullable<ResourceClaim['status']>['allocation']>['devices']>['results'];

/** A claim that is prepared for a pod. */
interface PreparedClaim {
  /** Its name in the pod's spec. */
  name: string;
  claim: ResourceClaim;
}

/**
 * Prepares the resource claims of pods as drivers of all devices would: each allocated device of a container is a CDI device
 * `<driver>/device=<name>`.
 */
export function simulatedClaims({ agent: { cluster } }: Components): AgentParts['dynamicResources'] {
  const claims = cluster?.dynamicResources?.resourceClaims;
  return claims && createClaimManager(claims);
}

function createClaimManager(claims: ObjectGetter<ResourceClaim>): ClaimManager {
  const byPod = new Map<string, PreparedClaim[]>();
  const devicesOf = (pod: Pod, container: Container) =>
    (container.resources?.claims ?? []).flatMap(({ name, request }) =>
      (byPod.get(podUid(pod)) ?? []).flatMap((each) =>
        each.name === name ? [{ claim: each.claim, devices: requested(each, request) }] : [],
      ),
    );
  return {
    async start() {},
    async stop() {},
    registration: { validate() {}, async register() {}, async deregister() {} },
    async prepareResources(pod) {
      const { namespace } = pod.metadata ?? {};
      const prepared = namesOf(pod).map(async ({ name, claimName }) => {
        const claim = await claims.get({ name: claimName, ...(namespace && { namespace }) });
        checkReserved(pod, claim);
        return { name, claim };
      });
      byPod.set(podUid(pod), await Promise.all(prepared));
    },
    async unprepareResources(pod) {
      byPod.delete(podUid(pod));
    },
    hasPreparedResources: (uid) => (byPod.get(uid)?.length ?? 0) > 0,
    getCdiDevices: (pod, container) => [
      ...new Set(
        devicesOf(pod, container).flatMap(({ devices = [] }) => devices.map(({ driver, device }) => `${driver}/device=${device}`)),
      ),
    ],
    getDynamicResources: (pod, container) =>
      devicesOf(pod, container).map(({ claim: { metadata }, devices = [] }) => ({
        claimName: metadata?.name ?? '',
        claimNamespace: metadata?.namespace ?? '',
        claimResources: devices.map(({ driver, pool, device, shareID = '' }) => ({
          cdiDevices: [{ name: `${driver}/device=${device}` }],
          driverName: driver,
          poolName: pool,
          deviceName: device,
          shareId: shareID,
        })),
      })),
    // The drivers do not report health.
    resourceHealth: (pod) => Object.fromEntries((pod.spec?.containers ?? []).flatMap((container) => unknownHealth(pod, container))),
    explain: () => ({ drivers: [], claims: [], pendingDeletions: [] }),
  };

  function unknownHealth(pod: Pod, container: Container): [string, ResourceStatus[]][] {
    const statuses = (container.resources?.claims ?? []).flatMap((used) => {
      const devices = devicesOf(pod, { ...container, resources: { claims: [used] } }).flatMap(({ devices: each = [] }) => each);
      const ids = new Set(devices.map(({ driver, device }) => `${driver}/device=${device}`));
      const name = `claim:${used.name}${used.request ? `/${used.request}` : ''}`;
      return ids.size === 0 ? [] : [{ name, resources: Array.from(ids, (resourceID) => ({ resourceID, health: 'Unknown' })) }];
    });
    return statuses.length === 0 ? [] : [[container.name, statuses]];
  }
}

/** The names of a pod's claims; those that are not needed are left out. */
function namesOf({ spec, status }: Pod): { name: string; claimName: string }[] {
  return (spec?.resourceClaims ?? []).flatMap(({ name, resourceClaimName }) => {
    const claimName = resourceClaimName ?? status?.resourceClaimStatuses?.find((each) => each.name === name)?.resourceClaimName;
    return claimName === undefined ? [] : [{ name, claimName }];
  });
}

/** The devices of a request; of an alternative too. Default: of all requests. */
const requested = ({ claim }: PreparedClaim, request: string | undefined): Devices =>
  claim.status?.allocation?.devices?.results?.filter((each) => request === undefined || each.request.split('/')[0] === request);

function checkReserved(pod: Pod, { metadata, status }: ResourceClaim): void {
  if (status?.reservedFor?.some(({ uid }) => uid === podUid(pod))) return;
  const claim = `ResourceClaim ${metadata?.namespace}/${metadata?.name} (UID ${metadata?.uid})`;
  const message = `prepare dynamic resources: ${claim} is not reserved for pod ${podKey(pod)} (UID ${podUid(pod)})`;
  throw new NodeAgentError(testClusterErrorCodes.claimNotReserved, message, { retryable: true });
}
