import type { Pod } from '@nodeagent/api';
import { withCondition } from '@nodeagent/test-controllers/decisions';
import { admissionOf } from '../admission/admission-of.js';
import { type ApiContext, timestamp, type WriteOptions } from '../context.js';
import { copyJson } from '../copy-json.js';
import { setTopologyLabels } from '../kinds/topology-labels.js';
import type { ApiObject } from '../objects.js';
import { commitUpdate } from '../operations/commit.js';
import type { ServedResource } from '../registry/resource.js';
import { badRequest, conflict } from '../status.js';

/** Binds a pod to a node, as schedulers do: Kubernetes API reference, "Binding". */
export function bindPod(context: ApiContext, pods: ServedResource, pod: ApiObject, body: ApiObject, options: WriteOptions): void {
  const { name = '', namespace } = pod.metadata;
  const place = { subresource: 'binding', name, ...(namespace && { namespace }) };
  const write = admissionOf(pods, 'create', place, options, { object: body, before: pod });
  context.admission.mutate(write, context);
  context.admission.validate(write, context);
  const target = (body.target ?? {}) as { kind?: string; name?: string };
  if (target.kind && target.kind !== 'Node') throw badRequest(`target.kind: Unsupported value: "${target.kind}": supported values: "Node"`);
  if (!target.name) throw badRequest('target.name: Required value');
  const subject = { kind: 'pods/binding', name };
  const { spec, metadata } = pod as Pod;
  if (metadata?.deletionTimestamp) throw conflict(subject, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec?.nodeName) throw conflict(subject, `pod ${name} is already assigned to node "${spec.nodeName}"`);
  if (spec?.schedulingGates?.length) throw conflict(subject, `pod ${name} has non-empty .spec.schedulingGates`);
  const after = copyJson(pod) as ApiObject & Pod;
  after.spec = { ...(after.spec as NonNullable<Pod['spec']>), nodeName: target.name };
  after.metadata.annotations = { ...after.metadata.annotations, ...body.metadata?.annotations };
  if (Object.keys(after.metadata.annotations).length === 0) delete after.metadata.annotations;
  setTopologyLabels(after, target.name, context);
  const { nominatedNodeName: _, ...status } = after.status ?? {};
  after.status = {
    ...status,
    conditions: withCondition(status.conditions ?? [], { type: 'PodScheduled', status: 'True' }, timestamp(context)),
  };
  commitUpdate(context, pods, pod, after, { ...options, subresource: 'binding', internal: true });
}
