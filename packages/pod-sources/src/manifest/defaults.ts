import type { Container, Pod, PodSpec, Probe, ResourceList } from '@nodeagent/api';
import { aggregateContainerRequests, Quantity } from '@nodeagent/api/helpers';
import { applyVolumeDefaults } from '../volumes/volume-defaults.js';
import { defaultPullPolicy } from './pull-policy.js';

/**
 * Applies the API server's defaults of Pod and its fields: Kubernetes API reference. Changes the pod in place, which must be freshly
 * decoded.
 */
export function applyApiDefaults(pod: Pod): void {
  const spec = applyTemplateDefaults(pod);
  spec.enableServiceLinks ??= true;
  for (const { resources, ports } of containersOf(spec)) {
    if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
    if (spec.hostNetwork) for (const port of ports ?? []) port.hostPort ||= port.containerPort;
  }
  applyPodResourceDefaults(pod, spec);
}

/** Applies the defaults of a pod template, which leaves others to the pods that are created from it. Returns the spec; changes it in place. */
export function applyTemplateDefaults(template: Pick<Pod, 'spec'>): PodSpec {
  const spec: PodSpec = { ...template.spec, containers: template.spec?.containers ?? [] };
  template.spec = spec;
  spec.serviceAccountName ||= spec.serviceAccount;
  if (spec.serviceAccountName === undefined) delete spec.serviceAccountName;
  spec.restartPolicy ||= 'Always';
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.schedulerName ||= 'default-scheduler';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.securityContext ??= {};
  for (const volume of spec.volumes ?? []) applyVolumeDefaults(volume);
  for (const container of containersOf(spec)) applyContainerDefaults(container);
  if (spec.overhead) roundAmounts(spec.overhead);
  return spec;
}

const containersOf = ({ initContainers = [], containers }: PodSpec): Container[] => [...initContainers, ...containers];

function applyContainerDefaults(container: Container): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image);
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= 'v1';
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) if (probe) applyProbeDefaults(probe);
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop]) applyHttpDefaults(handler?.httpGet);
  container.resources ??= {};
  const { resources } = container;
  for (const amounts of [resources.limits, resources.requests]) if (amounts) roundAmounts(amounts);
}

function applyProbeDefaults(probe: Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  applyHttpDefaults(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= '';
}

function applyHttpDefaults(action: { path?: string; scheme?: string } | undefined): void {
  if (action === undefined) return;
  action.path ||= '/';
  action.scheme ||= 'HTTP';
}

/**
 * Writes amounts in their canonical form, as an API server does: `1000m` is `1`, and amounts finer than a thousandth are rounded up. Changes
 * the list; throws `InvalidQuantity`.
 */
export function roundAmounts(amounts: ResourceList): void {
  for (const [name, amount] of Object.entries(amounts)) amounts[name] = Quantity.parse(amount).roundUp(-3).toString();
}

const podLevelResource = /^(cpu|memory|hugepages-.*)$/;

/** KEP-2837: pod-level requests come from the containers' requests, then from the pod's limits. */
function applyPodResourceDefaults(pod: Pod, { resources }: PodSpec): void {
  for (const amounts of [resources?.limits, resources?.requests]) if (amounts) roundAmounts(amounts);
  if (resources?.limits === undefined || Object.keys(resources.limits).length === 0) return;
  const requests: ResourceList = { ...resources.requests };
  for (const [name, amount] of aggregateContainerRequests(pod)) {
    if (podLevelResource.test(name) && !name.startsWith('hugepages-')) requests[name] ??= amount.toString();
  }
  for (const [name, amount] of Object.entries(resources.limits)) if (podLevelResource.test(name)) requests[name] ??= amount;
  if (Object.keys(requests).length > 0) resources.requests = requests;
}
