import { isObject } from '@nodeagent/api/helpers';
import type { AdmissionRequest } from '../access/admission-request.js';
import { type ReviewPorts, review } from '../access/reviews.js';
import type { ServiceAccountTokens } from '../access/tokens.js';
import type { RequestUser } from '../access/user.js';
import { admissionOf } from '../admission/admission-of.js';
import { admitConnection } from '../admission/admit-connection.js';
import { type ApiContext, prepareShown, shown, type WriteOptions } from '../context.js';
import { fieldValidation } from '../fields/field-validation.js';
import type { ForwardToService } from '../network/service-target.js';
import type { ApiObject } from '../objects.js';
import { createObject } from '../operations/create.js';
import { type DeletionOptions, deleteObject } from '../operations/delete.js';
import { type PatchInput, patchObject } from '../operations/patch.js';
import { replaceObject, requireObject, updateObject } from '../operations/update.js';
import { applyPatch, applyPatchType, mergePatchType, strategicMergePatchType } from '../patch/apply-patch.js';
import { deprecationOf } from '../registry/deprecations.js';
import { findSubresource, type ResourceVerb, type ServedResource } from '../registry/resource.js';
import { badRequest, methodNotAllowed, notFound, pathNotFound, successStatus, unsupportedMediaType } from '../status.js';
import { selectionOf } from '../store/selection.js';
import { bindPod } from '../subresources/binding.js';
import { evictPod } from '../subresources/eviction.js';
import { requireScaled, scaleOf, withScale } from '../subresources/scale.js';
import { requireBodySize } from './body-size.js';
import { jsonProblem } from './json-problem.js';
import { type ListResult, listObjects, wholeNumber } from './list.js';
import { formatOf, type Shape } from './media-types.js';
import { type MetricsSource, metricsGroup, metricsObjects } from './metrics.js';
import { requireObjectForm } from './object-form.js';
import type { ObjectList } from './object-texts.js';
import { type IncludeObject, Presentation } from './presentation.js';
import { loadProtobuf, objectResponse, type ProtobufCodec, protobufType } from './protobuf.js';
import { isProxied, proxyRequest } from './proxy.js';
import { type ApiRequest, type ApiResponse, flagOf, jsonTextResponse, queryOf } from './request.js';
import type { RequestInfo } from './request-info.js';
import { readObject, unrecognized } from './unrecognized.js';
import type { RequestNotes } from './warnings.js';
import { openWatch, type WatchStream } from './watch.js';
import { checkDeletionOptions, checkWriteOptions } from './write-options.js';

/** Ports of resource requests beside the objects. */
export interface ResourcePorts extends ReviewPorts {
  context: ApiContext;
  tokens: ServiceAccountTokens;
  /** Proxies a request to a node, or to the node of a pod. */
  proxy(definition: ServedResource, object: ApiObject, info: RequestInfo, request: ApiRequest): Promise<ApiResponse>;
  /** Passes a request on to a pod or a Service. */
  forward: ForwardToService;
  /** What the request leaves beside its response. */
  notes?: RequestNotes;
  /** Source of the metrics API, if there is one. */
  metrics?: MetricsSource;
  /** The open watches. */
  watches: Set<WatchStream>;
}

/** A resource request with its attributes. */
interface Call {
  info: RequestInfo;
  definition: ServedResource;
  request: ApiRequest;
  query: URLSearchParams;
  user: RequestUser;
  shape: Shape;
  /** For a client that prefers protobuf. */
  protobuf: ProtobufCodec | undefined;
  /** Warnings for the client, in the response's headers. */
  warnings: string[];
  annotate: WriteOptions['annotate'];
}

/** A response with an object, in the client's encoding. */
const respond = ({ protobuf }: Call, status: number, object: unknown) => objectResponse(protobuf, status, object);

/** A response with a stored object, whose text a watch event may have, too. */
function respondStored({ texts }: ApiContext, { protobuf }: Call, status: number, object: object): ApiResponse {
  return protobuf ? objectResponse(protobuf, status, object) : jsonTextResponse(status, texts.of(object));
}

/** A response with stored objects. */
function respondList(context: ApiContext, call: Call, { items, metadata }: ListResult): ApiResponse {
  const list = presentation(context, call).list(items, metadata);
  if (call.shape !== 'object' || call.protobuf) return respond(call, 200, list);
  return jsonTextResponse(200, context.texts.ofList(list as ObjectList));
}

/** The media types of every object in a body. */
const jsonTypes = ['application/json', 'application/yaml'];

const proxied = ['log', 'exec', 'attach', 'portforward', 'proxy'];

/** Handles a resource request. */
export async function handleResource(
  ports: ResourcePorts,
  info: RequestInfo,
  request: ApiRequest,
  user: RequestUser,
): Promise<ApiResponse> {
  const definition = ports.context.registry.find(info.group, info.version, info.resource);
  if (definition === undefined) throw pathNotFound();
  checkVerb(definition, info);
  // Logs and streams have types of the node.
  const accept = proxied.includes(info.subresource ?? '') ? undefined : request.headers?.accept;
  const { shape, isProtobuf } = formatOf(accept, definition.custom !== undefined);
  const protobuf = isProtobuf ? await loadProtobuf() : undefined;
  const { notes = { warnings: [], annotations: {} } } = ports;
  const deprecation = deprecationOf(definition);
  const warnings = deprecation ? [deprecation] : [];
  // An operation that waited for an answer runs again.
  notes.warnings = warnings;
  const annotate = (key: string, value: string) => {
    notes.annotations[key] = value;
  };
  const call: Call = { info, definition, request, query: queryOf(request), user, shape, protobuf, warnings, annotate };
  if (info.group === metricsGroup && ports.metrics) return respond(call, 200, metricsAnswer(ports.context, ports.metrics, call));
  return info.subresource !== undefined ? handlePart(ports, call) : handleObject(ports, call);
}

/** A selected object of the metrics API or a list of them, which has no version. Throws 404. */
function metricsAnswer(context: ApiContext, source: MetricsSource, call: Call): object {
  const { info, definition } = call;
  const stored = (namespace: string | undefined, name: string) => context.store.get(`/${info.resource}`, namespace, name);
  const items = metricsObjects(source, definition, { selection: selection(call), stored, now: context.clock.now() });
  const presented = presentation(context, call);
  if (info.name === undefined) return presented.list(items, {});
  const [found] = items;
  if (found === undefined) throw notFound({ group: metricsGroup, kind: info.resource ?? '', name: info.name });
  return presented.one(found);
}

function checkVerb(definition: ServedResource, { verb, subresource, name, namespace }: RequestInfo): void {
  const part = subresource === undefined ? definition : findSubresource(definition, subresource);
  if (part === undefined) throw pathNotFound();
  if (!part.verbs.includes(verb as ResourceVerb)) throw methodNotAllowed();
  if (!definition.namespaced && namespace !== undefined) throw pathNotFound();
  const single = verb === 'get' || verb === 'update' || verb === 'patch' || verb === 'delete';
  const creates = verb === 'create' && subresource === undefined;
  if (single && name === undefined) throw methodNotAllowed();
  if (
    definition.namespaced &&
    namespace === undefined &&
    (single || creates) &&
    definition.storage.split('/')[0] !== 'authorization.k8s.io'
  ) {
    throw creates ? badRequest('an empty namespace may not be set during creation') : pathNotFound();
  }
  if (creates && name !== undefined) throw methodNotAllowed();
}

async function handleObject(ports: ResourcePorts, call: Call): Promise<ApiResponse> {
  const { context } = ports;
  const { info, definition } = call;
  const { namespace, name = '' } = info;
  const answer = (status: number, object: ApiObject) =>
    respondStored(context, call, status, presentation(context, call).one(shown(definition, object)));
  /** The answer to a write, which must not run again because a webhook has to convert what it wrote. */
  const written = async (status: number, object: ApiObject) => {
    await prepareShown(definition, [object]);
    return answer(status, object);
  };
  switch (info.verb) {
    case 'get':
      return answer(200, requireObject(context, definition, { name, ...(namespace && { namespace }) }));
    case 'list':
      return list(context, call);
    case 'watch':
      return watch(ports, call);
    case 'create':
      return create(ports, call);
    case 'update': {
      const target = { ...writeOptions(call), name, ...(namespace && { namespace }) };
      return written(200, updateObject(context, definition, bodyOf(call), target));
    }
    case 'patch': {
      const existed = context.store.get(definition.storage, namespace, name) !== undefined;
      return written(existed ? 200 : 201, patchObject(context, definition, patchInput(call), writeOptions(call)));
    }
    case 'delete':
      return remove(context, call);
    default:
      return removeAll(context, call);
  }
}

async function create(ports: ResourcePorts, call: Call): Promise<ApiResponse> {
  const { context } = ports;
  const { info, definition, request, user } = call;
  const body = bodyOf(call);
  if (definition.group === 'authentication.k8s.io' || definition.group === 'authorization.k8s.io') {
    requireObjectForm(request.headers?.accept);
    return respond(
      call,
      201,
      review({ ...body, apiVersion: `${definition.group}/${definition.version}` }, definition.kind, user, ports, info.namespace),
    );
  }
  if (definition.storage === '/bindings') {
    const pods = context.registry.find('', 'v1', 'pods') as ServedResource;
    const target = { name: body.metadata?.name ?? '', ...(info.namespace && { namespace: info.namespace }) };
    bindPod(context, pods, requireObject(context, pods, target), body, writeOptions(call));
    return respond(call, 201, successStatus());
  }
  const place = info.namespace ? { namespace: info.namespace } : {};
  const ownsBody = typeof request.body === 'string';
  const object = createObject(context, definition, body, { ...writeOptions(call), ...place, ownsBody });
  await prepareShown(definition, [object]);
  return respondStored(context, call, 201, presentation(context, call).one(shown(definition, object)));
}

async function handlePart(ports: ResourcePorts, call: Call): Promise<ApiResponse> {
  const { context } = ports;
  const { info, definition, request, query } = call;
  const { namespace, name = '', subresource = '', verb } = info;
  const target = { name, ...(namespace && { namespace }) };
  if (isProxied(info)) {
    admitConnection(context, definition, info, call.user, query);
    return proxyRequest(ports, call);
  }
  if (proxied.includes(subresource)) {
    const object = requireObject(context, definition, target);
    if (subresource !== 'log') admitConnection(context, definition, info, call.user, query);
    return ports.proxy(definition, object, info, request);
  }
  const options = writeOptions(call);
  switch (subresource) {
    case 'binding':
      bindPod(context, definition, requireObject(context, definition, target), bodyOf(call), options);
      return respond(call, 201, successStatus());
    case 'eviction': {
      const pod = requireObject(context, definition, target);
      admitPart(context, call, 'create', { before: pod });
      evictPod(context, definition, pod, bodyOf(call), options);
      return respond(call, 201, successStatus());
    }
    case 'token': {
      const body = bodyOf(call);
      admitPart(context, call, 'create', { object: body });
      return respond(call, 201, ports.tokens.request(requireObject(context, definition, target), body));
    }
    case 'scale':
      return respond(call, 200, scalePresentation(context, call).one(await scale(context, call)));
  }
  const present = (object: ApiObject) => presentation(context, call).one(shown(definition, object));
  if (verb === 'get') return respond(call, 200, present(requireObject(context, definition, target)));
  const object =
    verb === 'update'
      ? updateObject(context, definition, bodyOf(call), { ...options, ...target, subresource })
      : patchObject(context, definition, { ...patchInput(call), subresource }, options);
  await prepareShown(definition, [object]);
  return respondStored(context, call, 200, present(object));
}

async function scale(context: ApiContext, call: Call): Promise<ApiObject> {
  const { info, definition } = call;
  const { namespace, name = '', verb } = info;
  const before = requireScaled(context, definition, { name, ...(namespace && { namespace }) });
  const object = shown(definition, before);
  const current = scaleOf(definition, object);
  if (verb === 'get') return current;
  const wanted = verb === 'update' ? bodyOf(call) : patchedScale(current, patchInput(call));
  const options = { ...writeOptions(call), isScale: true };
  const after = replaceObject(context, definition, before, withScale(definition, object, wanted as ApiObject), options);
  await prepareShown(definition, [after]);
  return scaleOf(definition, shown(definition, after));
}

/** A Scale has no lists, so applying it merges it. */
function patchedScale(object: ApiObject, { contentType, patch }: PatchInput): object {
  return applyPatch({ object, patch, contentType: contentType === applyPatchType ? mergePatchType : contentType, schema: {} });
}

function list(context: ApiContext, call: Call): ApiResponse {
  return respondList(context, call, listObjects(context, call.definition, selection(call), call.query));
}

function watch({ context, watches }: ResourcePorts, call: Call): ApiResponse {
  const { request, query, definition, protobuf } = call;
  const shape = { definition, selection: selection(call), presentation: presentation(context, call), query, ...(protobuf && { protobuf }) };
  const stream = openWatch(context, { ...shape, signal: request.signal }, watches);
  const type = protobuf ? protobufType : 'application/json';
  return { status: 200, headers: { 'content-type': `${type};stream=watch` }, body: stream };
}

async function remove(context: ApiContext, call: Call): Promise<ApiResponse> {
  const { info, definition } = call;
  const { namespace, name = '' } = info;
  const before = requireObject(context, definition, { name, ...(namespace && { namespace }) });
  admitPart(context, call, 'delete', { before });
  const { isRemoved, object } = deleteObject(context, definition, before, deletionOptions(call), call.user.username);
  // Deletions of pods and a few other kinds return the object; those of other kinds return a Status.
  const showsObject = ['/pods', '/services', '/serviceaccounts', '/persistentvolumeclaims', '/persistentvolumes'].includes(
    definition.storage,
  );
  if (!isRemoved || showsObject) {
    await prepareShown(definition, [object]);
    return respond(call, 200, presentation(context, call).one(shown(definition, object)));
  }
  const { uid } = object.metadata;
  const { group, resource } = definition;
  return respond(call, 200, successStatus({ name, ...(group && { group }), kind: resource, ...(uid && { uid }) }));
}

/** Checks a write that neither creates nor changes an object. */
function admitPart(context: ApiContext, call: Call, verb: 'create' | 'delete', objects: Pick<AdmissionRequest, 'object' | 'before'>): void {
  const { info, definition, user, query, warnings, annotate } = call;
  const { name, namespace } = { ...(objects.before as ApiObject | undefined)?.metadata, ...info };
  const place = { name: name ?? '', ...(namespace && { namespace }), ...(info.subresource && { subresource: info.subresource }) };
  const own = verb === 'delete' ? deletionOptions(call) : { dryRun: query.getAll('dryRun').includes('All') };
  const { dryRun, ...rest } = own;
  const sent = { ...rest, ...(dryRun && { dryRun: ['All'] }) };
  const options = { user, warn: (text: string) => void warnings.push(text), annotate, dryRun, options: sent };
  const write = admissionOf(definition, verb, place, options, objects);
  context.admission.mutate(write, context);
  context.admission.validate(write, context);
}

function removeAll(context: ApiContext, call: Call): ApiResponse {
  const { definition, query } = call;
  const chosen = selection(call);
  const listed = listObjects(context, definition, chosen, query);
  const objects = listed.items.flatMap(
    ({ metadata: { namespace, name = '' } }) => context.store.get(definition.storage, namespace, name) ?? [],
  );
  for (const before of objects) admitPart(context, call, 'delete', { before });
  for (const before of objects) deleteObject(context, definition, before, deletionOptions(call), call.user.username);
  return respondList(context, call, listed);
}

function selection({ info, definition, query }: Call) {
  const named = info.name === undefined ? [] : [`metadata.name=${info.name}`];
  const fields = [...named, query.get('fieldSelector') ?? ''].filter(Boolean).join(',');
  return selectionOf(definition, {
    ...(info.namespace && { namespace: info.namespace }),
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: fields,
  });
}

function presentation(context: ApiContext, { definition, shape, query }: Call): Presentation {
  return new Presentation(context, definition, shape, (query.get('includeObject') ?? 'Metadata') as IncludeObject);
}

function scalePresentation(context: ApiContext, call: Call): Presentation {
  const { custom: _custom, ...definition } = call.definition;
  return presentation(context, { ...call, definition: { ...definition, group: 'autoscaling', resource: 'scales' } });
}

const optionsKinds: Readonly<Record<string, string>> = { create: 'CreateOptions', update: 'UpdateOptions', patch: 'PatchOptions' };

function writeOptions({ info, query, request, user, warnings, annotate }: Call): WriteOptions {
  // Without a field manager the first word of the user agent is used.
  const agent = (request.headers?.['user-agent'] ?? 'unknown').split('/')[0] ?? 'unknown';
  const kind = optionsKinds[info.verb];
  const warn = (texts: readonly string[]) => void warnings.push(...texts);
  if (kind) checkWriteOptions(query, kind, contentTypeOf(request) === applyPatchType);
  return {
    user,
    warn: (text) => void warnings.push(text),
    annotate,
    fieldManager: query.get('fieldManager') || agent,
    options: reviewedOptions(query),
    ...(query.getAll('dryRun').includes('All') && { dryRun: true }),
    ...(kind && { fieldValidation: fieldValidation(query, request.body, kind, warn) }),
  };
}

/** The options of a write, as admission gets them. */
function reviewedOptions(query: URLSearchParams): Record<string, unknown> {
  const dryRun = query.getAll('dryRun');
  const texts = ['fieldManager', 'fieldValidation'].flatMap((name) => (query.get(name) ? [[name, query.get(name)] as const] : []));
  return { ...Object.fromEntries(texts), ...(dryRun.length > 0 && { dryRun }) };
}

function deletionOptions({ request, query }: Call): DeletionOptions {
  const body = parsed(request.body);
  if (body instanceof Uint8Array) throw unsupportedMediaType(['application/json']);
  const own = isObject(body) ? (body as DeletionOptions & { dryRun?: unknown }) : {};
  const inQuery = {
    ...(query.has('gracePeriodSeconds') && { gracePeriodSeconds: wholeNumber(query, 'gracePeriodSeconds') }),
    ...(query.has('propagationPolicy') && { propagationPolicy: query.get('propagationPolicy') ?? '' }),
    ...(query.has('orphanDependents') && { orphanDependents: flagOf(query, 'orphanDependents') }),
  };
  const dryRun = [...query.getAll('dryRun'), ...(Array.isArray(own.dryRun) ? own.dryRun : [])];
  const options = { ...inQuery, ...own, dryRun: dryRun.includes('All') };
  checkDeletionOptions(options, dryRun);
  return options;
}

function patchInput(call: Call): PatchInput {
  const { info, request, query } = call;
  const contentType = contentTypeOf(request);
  return {
    contentType,
    patch: parsed(request.body, contentType === strategicMergePatchType ? '' : 'error decoding patch: '),
    name: info.name ?? '',
    force: flagOf(query, 'force') === true,
    ...(info.namespace && { namespace: info.namespace }),
  };
}

function contentTypeOf({ headers }: ApiRequest): string {
  return headers?.['content-type']?.split(';')[0]?.trim() ?? '';
}

/** The JSON of a body; undefined if there is none. `prefix`: of the error for a text that is no JSON. */
function parsed(body: unknown, prefix = "couldn't get version/kind; json parse error: "): unknown {
  if (typeof body !== 'string') return body;
  requireBodySize(body);
  if (body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch (error) {
    throw badRequest(`${prefix}${jsonProblem(body) ?? (error as Error).message}`);
  }
}

/** The object in a body. Throws 415 if it is not JSON, and 400 if it is not an object. */
function bodyOf({ request, definition, info }: Call): ApiObject {
  const type = contentTypeOf(request);
  const isProtobuf = type === protobufType && definition.custom === undefined;
  if (type !== '' && type !== 'application/json' && type !== applyPatchType && type !== 'application/yaml' && !isProtobuf) {
    throw unsupportedMediaType([...jsonTypes, ...(definition.custom ? [] : [protobufType])]);
  }
  const part = info.subresource === undefined ? undefined : findSubresource(definition, info.subresource);
  const kind = part?.kind ?? definition.kind;
  const text = typeof request.body === 'string' ? request.body : '';
  requireBodySize(text);
  if (isProtobuf && typeof request.body !== 'object') throw unrecognized(kind, 'empty data', '');
  const isEmptyYaml = type === 'application/yaml' && text.trim() === '';
  const body = isObject(request.body) ? request.body : readObject(isEmptyYaml ? 'null' : text, kind);
  return { ...body, metadata: body.metadata ?? {} } as unknown as ApiObject;
}
