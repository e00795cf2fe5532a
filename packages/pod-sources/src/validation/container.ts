import type { Container, ContainerRestartRule, PodSpec, Volume } from '@nodeagent/api';
import type { FieldProblems } from '../field-problem.js';
import { checkEnv } from './env.js';
import { checkHandlers } from './handlers.js';
import { checkMounts } from './mounts.js';
import { checkPortName, checkPortNumber, checkRequiredLabel } from './names.js';
import { checkResources } from './resources.js';
import { checkContainerSecurity } from './security.js';

/** All containers of a pod: names, ports, and each by itself. Source: Kubernetes API reference, "Container". */
export function checkContainers(spec: PodSpec, volumes: ReadonlyMap<string, Volume>, problems: FieldProblems): void {
  if (spec.containers.length === 0) problems.required('spec.containers');
  const names = new Set<string>();
  const hostPorts = new Set<string>();
  for (const [index, container] of spec.containers.entries()) {
    const field = `spec.containers[${index}]`;
    checkName(field, container, names, problems);
    checkContainer(field, container, spec, volumes, false, problems);
    checkHostPorts(field, container, hostPorts, problems);
  }
  for (const [index, container] of (spec.initContainers ?? []).entries()) {
    const field = `spec.initContainers[${index}]`;
    checkName(field, container, names, problems);
    checkContainer(field, container, spec, volumes, true, problems);
    checkHostPorts(field, container, new Set(), problems);
  }
  if (spec.ephemeralContainers?.length) {
    problems.forbidden('spec.ephemeralContainers', 'cannot be set on create');
  }
}

function checkName(field: string, { name }: Container, names: Set<string>, problems: FieldProblems): void {
  checkRequiredLabel(`${field}.name`, name, problems);
  if (name && names.has(name)) problems.duplicate(`${field}.name`, name);
  names.add(name);
}

function checkContainer(
  field: string,
  container: Container,
  spec: PodSpec,
  volumes: ReadonlyMap<string, Volume>,
  init: boolean,
  problems: FieldProblems,
): void {
  if (!container.image) problems.required(`${field}.image`);
  else if (container.image !== container.image.trim()) {
    problems.invalid(`${field}.image`, container.image, 'must not have leading or trailing whitespace');
  }
  problems.oneOf(`${field}.imagePullPolicy`, container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']);
  problems.oneOf(`${field}.terminationMessagePolicy`, container.terminationMessagePolicy, ['File', 'FallbackToLogsOnError']);
  checkRestartPolicy(field, container, problems);
  checkPorts(field, container, spec.hostNetwork === true, problems);
  checkEnv(field, container, new Set(volumes.keys()), problems);
  checkMounts(field, container, volumes, problems);
  checkHandlers(
    field,
    container,
    { mayHave: !init || container.restartPolicy === 'Always', gracePeriod: spec.terminationGracePeriodSeconds ?? 30 },
    problems,
  );
  if (container.lifecycle?.stopSignal && !spec.os?.name) {
    problems.forbidden(`${field}.lifecycle.stopSignal`, 'may not be set for containers with empty os name');
  }
  const claims = spec.resourceClaims?.map(({ name }) => name) ?? [];
  checkResources(`${field}.resources`, container.resources ?? {}, claims, problems);
  checkResizePolicy(field, container, spec, problems);
  checkContainerSecurity(`${field}.securityContext`, container.securityContext, spec.hostUsers !== false, problems);
}

function checkPorts(field: string, container: Container, hostNetwork: boolean, problems: FieldProblems): void {
  const names = new Set<string>();
  for (const [index, port] of (container.ports ?? []).entries()) {
    const place = `${field}.ports[${index}]`;
    if (port.name) {
      checkPortName(`${place}.name`, port.name, problems);
      if (names.has(port.name)) problems.duplicate(`${place}.name`, port.name);
      names.add(port.name);
    }
    if (!port.containerPort) problems.required(`${place}.containerPort`);
    else checkPortNumber(`${place}.containerPort`, port.containerPort, problems);
    if (port.hostPort) checkPortNumber(`${place}.hostPort`, port.hostPort, problems);
    if (hostNetwork && port.hostPort !== port.containerPort) {
      problems.invalid(`${place}.hostPort`, port.hostPort, 'must match `containerPort` when `hostNetwork` is true');
    }
    problems.oneOf(`${place}.protocol`, port.protocol, ['TCP', 'UDP', 'SCTP']);
  }
}

function checkHostPorts(field: string, container: Container, taken: Set<string>, problems: FieldProblems): void {
  for (const [index, { hostPort, hostIP, protocol }] of (container.ports ?? []).entries()) {
    if (!hostPort) continue;
    const key = `${protocol}/${hostIP ?? ''}/${hostPort}`;
    if (taken.has(key)) problems.duplicate(`${field}.ports[${index}].hostPort`, key);
    taken.add(key);
  }
}

const policies = ['Always', 'OnFailure', 'Never'];
const maxRules = 20;
const maxExitCodes = 255;

/** KEP-753 for sidecars, KEP-5307 for rules. */
function checkRestartPolicy(field: string, container: Container, problems: FieldProblems): void {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  problems.oneOf(`${field}.restartPolicy`, restartPolicy, policies);
  if (rules.length === 0) return;
  const place = `${field}.restartPolicyRules`;
  if (restartPolicy === undefined) problems.required(`${field}.restartPolicy`, 'must specify restartPolicy when restart rules are used');
  if (rules.length > maxRules) problems.add(place, `Too many: ${rules.length}: must have at most ${maxRules} items`);
  for (const [index, rule] of rules.entries()) checkRestartRule(`${place}[${index}]`, rule, problems);
}

function checkRestartRule(field: string, { action, exitCodes }: ContainerRestartRule, problems: FieldProblems): void {
  if (!action) problems.required(`${field}.action`);
  else problems.oneOf(`${field}.action`, action, ['Restart', 'RestartAllContainers']);
  if (exitCodes === undefined) {
    problems.required(`${field}.exitCodes`);
    return;
  }
  if (!exitCodes.operator) problems.required(`${field}.exitCodes.operator`);
  else problems.oneOf(`${field}.exitCodes.operator`, exitCodes.operator, ['In', 'NotIn']);
  const count = exitCodes.values?.length ?? 0;
  if (count > maxExitCodes) problems.add(`${field}.exitCodes.values`, `Too many: ${count}: must have at most ${maxExitCodes} items`);
}

function checkResizePolicy(field: string, container: Container, spec: PodSpec, problems: FieldProblems): void {
  const seen = new Set<string>();
  for (const [index, { resourceName, restartPolicy }] of (container.resizePolicy ?? []).entries()) {
    const place = `${field}.resizePolicy[${index}]`;
    if (!resourceName) problems.required(`${place}.resourceName`);
    else if (seen.has(resourceName)) problems.duplicate(place, resourceName);
    else problems.oneOf(`${place}.resourceName`, resourceName, ['cpu', 'memory']);
    seen.add(resourceName);
    if (!restartPolicy) problems.required(`${place}.restartPolicy`);
    else problems.oneOf(`${place}.restartPolicy`, restartPolicy, ['NotRequired', 'RestartContainer']);
    if (spec.restartPolicy === 'Never' && restartPolicy === 'RestartContainer') {
      problems.invalid(`${place}.restartPolicy`, restartPolicy, 'must be NotRequired when `restartPolicy` is Never');
    }
  }
}
