import { volume } from '../volumes/volume-schema.js';
import { container, ephemeralContainer, localProfile, resources, seLinuxOptions, windowsOptions } from './container-schema.js';
import { labelSelector, localReference, objectMeta } from './meta-schema.js';
import { flag, ignored, int32, int64, list, quantities, struct, text, textList, textMap } from './schema.js';

const requirements = list(struct({ key: text, operator: text, values: textList }));
const nodeSelectorTerm = struct({ matchExpressions: requirements, matchFields: requirements });
const podAffinityTerm = struct({
  labelSelector,
  namespaceSelector: labelSelector,
  namespaces: textList,
  topologyKey: text,
  matchLabelKeys: textList,
  mismatchLabelKeys: textList,
});
const podAffinity = struct({
  requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: list(struct({ weight: int32, podAffinityTerm })),
});

const podSecurityContext = struct({
  seLinuxOptions,
  windowsOptions,
  runAsUser: int64,
  runAsGroup: int64,
  runAsNonRoot: flag,
  supplementalGroups: list(int64),
  supplementalGroupsPolicy: text,
  fsGroup: int64,
  fsGroupChangePolicy: text,
  sysctls: list(struct({ name: text, value: text })),
  seccompProfile: localProfile,
  appArmorProfile: localProfile,
  seLinuxChangePolicy: text,
});

const podSpec = struct({
  containers: list(container),
  initContainers: list(container),
  ephemeralContainers: list(ephemeralContainer),
  volumes: list(volume),
  restartPolicy: text,
  terminationGracePeriodSeconds: int64,
  activeDeadlineSeconds: int64,
  dnsPolicy: text,
  dnsConfig: struct({ nameservers: textList, searches: textList, options: list(struct({ name: text, value: text })) }),
  nodeSelector: textMap,
  nodeName: text,
  serviceAccountName: text,
  serviceAccount: text,
  automountServiceAccountToken: flag,
  hostNetwork: flag,
  hostPID: flag,
  hostIPC: flag,
  hostUsers: flag,
  shareProcessNamespace: flag,
  securityContext: podSecurityContext,
  imagePullSecrets: list(localReference),
  hostname: text,
  hostnameOverride: text,
  subdomain: text,
  setHostnameAsFQDN: flag,
  affinity: struct({
    nodeAffinity: struct({
      requiredDuringSchedulingIgnoredDuringExecution: struct({ nodeSelectorTerms: list(nodeSelectorTerm) }),
      preferredDuringSchedulingIgnoredDuringExecution: list(struct({ weight: int32, preference: nodeSelectorTerm })),
    }),
    podAffinity,
    podAntiAffinity: podAffinity,
  }),
  schedulerName: text,
  tolerations: list(struct({ key: text, operator: text, value: text, effect: text, tolerationSeconds: int64 })),
  hostAliases: list(struct({ ip: text, hostnames: textList })),
  priorityClassName: text,
  priority: int32,
  preemptionPolicy: text,
  readinessGates: list(struct({ conditionType: text })),
  runtimeClassName: text,
  enableServiceLinks: flag,
  overhead: quantities,
  topologySpreadConstraints: list(
    struct({
      maxSkew: int32,
      topologyKey: text,
      whenUnsatisfiable: text,
      labelSelector,
      minDomains: int32,
      nodeAffinityPolicy: text,
      nodeTaintsPolicy: text,
      matchLabelKeys: textList,
    }),
  ),
  os: struct({ name: text }),
  schedulingGates: list(struct({ name: text })),
  resourceClaims: list(struct({ name: text, resourceClaimName: text, resourceClaimTemplateName: text })),
  resources,
});

/** The schema of a `v1` Pod in a manifest; its status is ignored. */
export const podSchema = struct({ apiVersion: text, kind: text, metadata: objectMeta, spec: podSpec, status: ignored });
