import type { AdmissionRequest } from '../access/admission-request.js';
import { type ApiContext, newUid, shown } from '../context.js';
import type { ApiObject } from '../objects.js';
import { findSubresource, type ServedResource } from '../registry/resource.js';

/** The request of an `AdmissionReview` of `admission.k8s.io/v1`: Kubernetes API reference, "AdmissionRequest". */
export interface ReviewRequest {
  uid: string;
  kind: Kind;
  resource: Resource;
  subResource?: string;
  requestKind: Kind;
  requestResource: Resource;
  requestSubResource?: string;
  name?: string;
  namespace?: string;
  operation: string;
  userInfo: { username: string; uid?: string; groups?: readonly string[]; extra?: Readonly<Record<string, readonly string[]>> };
  object: unknown;
  oldObject: unknown;
  dryRun: boolean;
  options: unknown;
}

interface Kind {
  group: string;
  version: string;
  kind: string;
}
interface Resource {
  group: string;
  version: string;
  resource: string;
}

const optionsKinds = { create: 'CreateOptions', update: 'UpdateOptions', delete: 'DeleteOptions' };

/** The request as webhooks and expressions get it, with its objects in `version`. */
export function reviewRequestOf(request: AdmissionRequest, context: ApiContext, version: ServedResource): ReviewRequest {
  const { definition, subresource, namespace, name, verb, user, object, before, dryRun = false, options } = request;
  const show = (each: object | undefined) => (each === undefined ? null : inVersion(each as ApiObject, version, definition, subresource));
  return {
    uid: newUid(context),
    kind: kindOf(version, subresource),
    resource: resourceOf(version),
    ...(subresource && { subResource: subresource }),
    requestKind: kindOf(definition, subresource),
    requestResource: resourceOf(definition),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation: verb.toUpperCase(),
    userInfo: user,
    object: show(object),
    oldObject: show(before),
    dryRun,
    options: verb === 'connect' ? null : { kind: optionsKinds[verb], apiVersion: 'meta.k8s.io/v1', ...options },
  };
}

/** The object of a subresource with its own kind, such as a Binding, has no versions. */
function inVersion(object: ApiObject, version: ServedResource, { kind }: ServedResource, subresource: string | undefined): ApiObject {
  const part = subresource === undefined ? undefined : findSubresource(version, subresource);
  return part !== undefined && part.kind !== kind && object.kind !== kind ? { ...object, kind: part.kind } : shown(version, object);
}

function kindOf({ group, version, kind, ...definition }: ServedResource, subresource: string | undefined): Kind {
  const part = subresource === undefined ? undefined : findSubresource(definition as ServedResource, subresource);
  return { group: part?.group ?? group, version: part?.version ?? version, kind: part?.kind ?? kind };
}

const resourceOf = ({ group, version, resource }: ServedResource): Resource => ({ group, version, resource });
