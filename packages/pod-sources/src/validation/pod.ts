import type { Pod, PodSpec } from '@nodeagent/api';
import { aggregateContainerRequests, Quantity } from '@nodeagent/api/helpers';
import { createFieldProblems, type FieldProblem, type FieldProblems } from '../field-problem.js';
import { checkVolumes } from '../volumes/check-volumes.js';
import { checkContainers } from './container.js';
import { checkMetadata } from './metadata.js';
import { checkAtLeast, checkQualifiedName, checkRequiredLabel, checkSubdomain } from './names.js';
import { checkNetwork } from './network.js';
import { checkAmount, checkResources } from './resources.js';
import { checkScheduling } from './scheduling.js';
import { checkPodSecurity } from './security.js';

/**
 * The problems for which the API server would refuse to create the pod, defaults already applied; empty for a valid pod. Source: Kubernetes
 * API reference, "Pod".
 */
export function validatePod(pod: Pod): FieldProblem[] {
  const problems = createFieldProblems();
  checkMetadata(pod.metadata ?? {}, problems);
  if (pod.spec === undefined) problems.required('spec.containers');
  else checkSpec(pod, pod.spec, problems);
  return problems.list;
}

const podLevelResource = /^(cpu|memory|hugepages-.+)$/;

function checkSpec(pod: Pod, spec: PodSpec, problems: FieldProblems): void {
  const volumes = checkVolumes(spec.volumes ?? [], Boolean(spec.serviceAccountName), problems);
  checkResourceClaims(spec, problems);
  checkContainers(spec, volumes, problems);
  problems.oneOf('spec.restartPolicy', spec.restartPolicy, ['Always', 'OnFailure', 'Never']);
  checkAtLeast('spec.terminationGracePeriodSeconds', spec.terminationGracePeriodSeconds, 0, problems);
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > 2_147_483_647)) {
    problems.invalid('spec.activeDeadlineSeconds', deadline, 'must be between 1 and 2147483647, inclusive');
  }
  checkNetwork(spec, problems);
  checkScheduling(spec, problems);
  checkPodSecurity(spec, problems);
  if (spec.serviceAccountName) checkSubdomain('spec.serviceAccountName', spec.serviceAccountName, problems);
  for (const [index, { conditionType }] of (spec.readinessGates ?? []).entries()) {
    checkQualifiedName(`spec.readinessGates[${index}].conditionType`, conditionType ?? '', problems);
  }
  for (const [name, amount] of Object.entries(spec.overhead ?? {})) checkAmount(`spec.overhead[${name}]`, amount, problems);
  if (spec.os) problems.oneOf('spec.os.name', spec.os.name ?? '', ['linux', 'windows']);
  if (spec.resources) checkPodResources(pod, spec, problems);
}

function checkResourceClaims(spec: PodSpec, problems: FieldProblems): void {
  const names = new Set<string>();
  for (const [index, { name, resourceClaimName, resourceClaimTemplateName }] of (spec.resourceClaims ?? []).entries()) {
    const field = `spec.resourceClaims[${index}]`;
    checkRequiredLabel(`${field}.name`, name, problems);
    if (name && names.has(name)) problems.duplicate(`${field}.name`, name);
    names.add(name);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      problems.invalid(field, name, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified');
    } else if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      problems.required(field, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`');
    }
  }
}

/** KEP-2837: the pod's own requests cover those of its containers. */
function checkPodResources(pod: Pod, spec: PodSpec, problems: FieldProblems): void {
  const field = 'spec.resources';
  checkResources(field, spec.resources ?? {}, [], problems, podLevelResource);
  for (const [name, sum] of aggregateContainerRequests(pod)) {
    const request = spec.resources?.requests?.[name];
    if (request !== undefined && Quantity.parse(request).cmp(sum) < 0) {
      problems.invalid(`${field}.requests[${name}]`, request, `must be greater than or equal to aggregate container requests of ${sum}`);
    }
  }
}
