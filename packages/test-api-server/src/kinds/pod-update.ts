import type { Container, Pod, PodSpec } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import type { KindFieldProblem } from './kind-rules.js';
import { withoutNarrowed } from './pod-scheduling.js';

const updateRule =
  'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` ' +
  '(allow it to be set to 1 if it was previously negative)';
const resizeRule = 'Forbidden: only cpu and memory resources are mutable';
const ephemeralRule = 'Forbidden: existing ephemeral containers "%" may not be changed';

/** Validates a change of a pod's spec on this path: Kubernetes documentation, "Pod update and replacement". */
export function podUpdateProblems(after: Pod, before: Pod, subresource: string | undefined): KindFieldProblem[] {
  const [now, was] = [after.spec ?? { containers: [] }, before.spec ?? { containers: [] }];
  switch (subresource) {
    case 'resize':
      return equalJson(withoutResources(now), withoutResources(was)) ? [] : [{ field: 'spec', problem: resizeRule }];
    case 'ephemeralcontainers':
      return ephemeralProblems(now, was);
    default:
      return equalJson(fixedPart(now, was), fixedPart(was, was)) ? [] : [{ field: 'spec', problem: updateRule }];
  }
}

function withoutResources(spec: PodSpec): unknown {
  const strip = ({ resources: _resources, resizePolicy: _policy, ...rest }: Container) => rest;
  const { resources: _resources, ...rest } = spec;
  return {
    ...rest,
    containers: spec.containers.map(strip),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(strip) }),
  };
}

/** The spec without mutable fields. */
function fixedPart(spec: PodSpec, was: PodSpec): unknown {
  const strip = ({ image: _image, ...rest }: Container) => rest;
  const {
    activeDeadlineSeconds: _deadline,
    tolerations,
    terminationGracePeriodSeconds,
    schedulingGates,
    ...rest
  } = withoutNarrowed(spec, was);
  const kept = (was.tolerations ?? []).every((old) => (tolerations ?? []).some((toleration) => equalJson(toleration, old)));
  const graceFixed = (was.terminationGracePeriodSeconds ?? 0) < 0 && terminationGracePeriodSeconds === 1;
  const gatesAdded = (schedulingGates ?? []).some((gate) => !(was.schedulingGates ?? []).some((old) => equalJson(old, gate)));
  return {
    ...rest,
    containers: spec.containers.map(strip),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(strip) }),
    tolerationsKept: kept,
    gatesAdded,
    grace: graceFixed ? was.terminationGracePeriodSeconds : terminationGracePeriodSeconds,
  };
}

function ephemeralProblems(now: PodSpec, was: PodSpec): KindFieldProblem[] {
  return (was.ephemeralContainers ?? [])
    .filter((old) => !(now.ephemeralContainers ?? []).some((container) => equalJson(container, old)))
    .map(({ name }) => ({ field: 'spec.ephemeralContainers', problem: ephemeralRule.replace('%', name) }));
}
