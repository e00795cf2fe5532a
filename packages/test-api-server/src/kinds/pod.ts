import type { Pod } from '@nodeagent/api';
import { computeQosClass, dnsSubdomainProblems, equalJson } from '@nodeagent/api/helpers';
import { applyApiDefaults, validatePod } from '@nodeagent/pod-sources/decisions';
import { timestamp } from '../context.js';
import type { ApiObject } from '../objects.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';
import { setSchedulingFields } from './pod-scheduling.js';
import { podUpdateProblems } from './pod-update.js';
import { setTopologyLabels } from './topology-labels.js';

/** Rules of pods: the API reference's defaults and validation. */
export const podRules: KindRules = {
  validatesMetadata: true,
  nameProblems: dnsSubdomainProblems,
  applyDefaults(object) {
    const pod = object as Pod & ApiObject;
    pod.spec ??= { containers: [] };
    applyApiDefaults(pod);
  },
  prepareCreate(object, context) {
    const pod = object as Pod & ApiObject;
    pod.status = { phase: 'Pending', qosClass: computeQosClass(pod) };
    setSchedulingFields(pod, timestamp(context));
    if (pod.spec?.nodeName) setTopologyLabels(pod, pod.spec.nodeName, context);
  },
  prepareUpdate(object, before) {
    const pod = object as Pod & ApiObject;
    applyApiDefaults(pod);
    const qosClass = (before as Pod).status?.qosClass;
    if (pod.status && qosClass) pod.status = { ...pod.status, qosClass };
  },
  validate: (object) => validatePod(object as Pod),
  validateUpdate(object, before, subresource): KindFieldProblem[] {
    return equalJson(object.spec, before.spec) ? [] : podUpdateProblems(object as Pod, before as Pod, subresource);
  },
};
