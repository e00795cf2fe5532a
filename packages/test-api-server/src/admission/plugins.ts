import { certificateApproval } from './certificate-approval.js';
import { certificateSigning } from './certificate-signing.js';
import { certificateSubjectRestriction } from './certificate-subject-restriction.js';
import { defaultIngressClass } from './default-ingress-class.js';
import { defaultStorageClass } from './default-storage-class.js';
import { defaultTolerationSeconds } from './default-toleration-seconds.js';
import { limitRanger } from './limit-ranger/limit-ranger.js';
import { namespaceLifecycle } from './namespace-lifecycle.js';
import { nodeRestriction } from './node-restriction.js';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.js';
import type { AdmissionPlugin } from './plugin.js';
import { podSecurity } from './pod-security/pod-security.js';
import { mutatingPolicy, validatingPolicy } from './policies/plugins.js';
import { priority } from './priority.js';
import { resourceQuota } from './resource-quota/resource-quota.js';
import { runtimeClass } from './runtime-class.js';
import { serviceAccount } from './service-account.js';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.js';
import { taintNodesByCondition } from './taint-nodes-by-condition.js';
import { mutatingWebhooks, validatingWebhooks } from './webhooks/plugins.js';

/** All plugins, in the order in which an API server of v1.36 runs them. */
export const plugins: readonly AdmissionPlugin[] = [
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  nodeRestriction,
  taintNodesByCondition,
  podSecurity,
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageObjectInUseProtection,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  defaultIngressClass,
  mutatingPolicy,
  mutatingWebhooks,
  validatingPolicy,
  validatingWebhooks,
  resourceQuota,
];

/**
 * Plugins that run only if they are enabled. The last two run by default in a cluster; a test rarely has the controller that removes the taint,
 * and does not expect the finalizers.
 */
export const optionalPlugins: ReadonlySet<string> = new Set([
  nodeRestriction.name,
  taintNodesByCondition.name,
  storageObjectInUseProtection.name,
]);
