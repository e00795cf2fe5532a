import { embedded, enumeration, int64, type MessageType, message, repeated, string, strings } from '@nodeagent/protobuf';
import { service } from './method.js';

const claims = message({ claims: repeated(1, message({ namespace: string(1), uid: string(2), name: string(3) })) });

/** `map<string, M>` on the wire: entries by the UID of the claim; the last entry of a UID counts. */
const byClaim = <M extends MessageType>(result: M) =>
  message({ claims: repeated(1, message({ key: string(1), value: embedded(2, result) })) });

const device = message({
  requestNames: strings(1),
  poolName: string(2),
  deviceName: string(3),
  cdiDeviceIds: strings(4),
  shareId: string(5),
});
const prepared = byClaim(message({ devices: repeated(1, device), error: string(2) }));
const unprepared = byClaim(message({ error: string(1) }));

const draPlugin = (version: string) =>
  service(`k8s.io.kubelet.pkg.apis.dra.${version}.DRAPlugin`, {
    nodePrepareResources: [claims, prepared],
    nodeUnprepareResources: [claims, unprepared],
  });

/** The service of a DRA driver on a node (KEP-4381). A driver announces it at its registration as `v1.DRAPlugin`. */
export const draPluginService = draPlugin('v1');

/** {@link draPluginService} in its beta version, with the same messages, announced as `v1beta1.DRAPlugin`. */
export const draPluginBetaService = draPlugin('v1beta1');

const deviceHealth = message({
  device: embedded(1, message({ poolName: string(1), deviceName: string(2) })),
  health: enumeration(2, ['UNKNOWN', 'HEALTHY', 'UNHEALTHY']),
  lastUpdatedTime: int64(3),
  healthCheckTimeoutSeconds: int64(4),
  message: string(5),
});

/** The optional service of a DRA driver that reports the health of its devices (KEP-4680): each response has all of them. */
export const draHealthService = service('v1alpha1.DRAResourceHealth', {
  nodeWatchResources: [message({}), message({ devices: repeated(1, deviceHealth) }), 'stream'],
});
