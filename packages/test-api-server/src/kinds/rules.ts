import { customRules } from '../custom-resources/custom-rules.js';
import { definitionRules } from '../custom-resources/definition-rules.js';
import type { ServedResource } from '../registry/resource.js';
import { mutatingPolicyRules, validatingPolicyRules } from './admission-policy.js';
import { mutatingPolicyBindingRules, validatingPolicyBindingRules } from './admission-policy-binding.js';
import { apiServiceRules, flowSchemaRules, priorityLevelRules } from './api-machinery.js';
import { autoscalerRules } from './autoscaler.js';
import { configMapRules, secretRules } from './config-data.js';
import type { KindRules } from './kind-rules.js';
import { limitRangeRules } from './limit-range.js';
import { namespaceRules } from './namespace.js';
import { podRules } from './pod.js';
import { priorityClassRules } from './priority-class.js';
import * as claims from './resource-claims.js';
import { resourceQuotaRules } from './resource-quota.js';
import { serviceRules } from './service.js';
import * as simple from './simple-kinds.js';
import { webhookConfigurationRules } from './webhook-configuration.js';
import * as workloads from './workloads.js';

const rules: Readonly<Record<string, KindRules>> = {
  '/pods': podRules,
  '/nodes': simple.nodeRules,
  '/namespaces': namespaceRules,
  '/services': serviceRules,
  '/configmaps': configMapRules,
  '/secrets': secretRules,
  '/limitranges': limitRangeRules,
  '/resourcequotas': resourceQuotaRules,
  '/events': simple.eventRules,
  '/persistentvolumes': simple.volumeRules,
  '/persistentvolumeclaims': simple.claimRules,
  '/replicationcontrollers': workloads.replicationControllerRules,
  'apps/deployments': workloads.deploymentRules,
  'apps/replicasets': workloads.replicaSetRules,
  'apps/statefulsets': workloads.statefulSetRules,
  'apps/daemonsets': workloads.daemonSetRules,
  'autoscaling/horizontalpodautoscalers': autoscalerRules,
  'batch/jobs': workloads.jobRules,
  'batch/cronjobs': workloads.cronJobRules,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhookConfigurationRules,
  'admissionregistration.k8s.io/mutatingadmissionpolicies': mutatingPolicyRules,
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': mutatingPolicyBindingRules,
  'admissionregistration.k8s.io/validatingadmissionpolicies': validatingPolicyRules,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': validatingPolicyBindingRules,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhookConfigurationRules,
  'apiextensions.k8s.io/customresourcedefinitions': definitionRules,
  'apiregistration.k8s.io/apiservices': apiServiceRules,
  'flowcontrol.apiserver.k8s.io/flowschemas': flowSchemaRules,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': priorityLevelRules,
  'certificates.k8s.io/certificatesigningrequests': simple.certificateRequestRules,
  'coordination.k8s.io/leases': simple.leaseRules,
  'discovery.k8s.io/endpointslices': simple.endpointSliceRules,
  'networking.k8s.io/networkpolicies': simple.networkPolicyRules,
  'node.k8s.io/runtimeclasses': simple.runtimeClassRules,
  'rbac.authorization.k8s.io/roles': simple.roleRules,
  'rbac.authorization.k8s.io/clusterroles': simple.roleRules,
  'rbac.authorization.k8s.io/rolebindings': simple.roleBindingRules,
  'rbac.authorization.k8s.io/clusterrolebindings': simple.roleBindingRules,
  'resource.k8s.io/resourceclaims': claims.resourceClaimRules,
  'resource.k8s.io/resourceclaimtemplates': claims.resourceClaimTemplateRules,
  'resource.k8s.io/resourceslices': claims.resourceSliceRules,
  'scheduling.k8s.io/priorityclasses': priorityClassRules,
  'storage.k8s.io/storageclasses': simple.storageClassRules,
  'storage.k8s.io/volumeattachments': simple.volumeAttachmentRules,
  'storage.k8s.io/csidrivers': simple.csiDriverRules,
};

/** The rules of a resource's kind. */
export function rulesOf(definition: ServedResource): KindRules {
  return definition.custom ? customRules(definition.custom) : (rules[definition.storage] ?? {});
}
