import { isObject } from '@nodeagent/api/helpers';
import { authenticate } from './access/authentication.js';
import { type Authorizer, requireAccess } from './access/authorizer.js';
import { impersonated } from './access/impersonation.js';
import type { ServiceAccountTokens } from './access/tokens.js';
import type { RequestUser } from './access/user.js';
import type { Aggregator } from './aggregation/aggregator.js';
import { type AuditEvent, auditEvent, isWrite } from './audit.js';
import { type ApiContext, newUid } from './context.js';
import type { DiscoveryDocuments } from './discovery/documents.js';
import { type ApiFault, type ApiFaults, connectionCut, faultError } from './faults.js';
import type { EffectiveServerOptions } from './options.js';
import { withAnswers } from './requests/answers.js';
import { takesProtobufErrors } from './requests/media-types.js';
import { nonResource } from './requests/non-resource.js';
import { loadedProtobuf, loadProtobuf, objectResponse, type ProtobufCodec, protobufType } from './requests/protobuf.js';
import { isProxied } from './requests/proxy.js';
import { type ApiRequest, type ApiResponse, BytesBody, queryOf } from './requests/request.js';
import { withJsonBody } from './requests/request-body.js';
import { type RequestInfo, requestInfo } from './requests/request-info.js';
import { checkTimeout } from './requests/request-timeout.js';
import { handleResource, type ResourcePorts } from './requests/resource-handler.js';
import { type RequestNotes, warningHeader } from './requests/warnings.js';
import { isYamlBody, withYamlBody } from './requests/yaml-body.js';
import { wireStatusOf } from './status.js';

/** The request pipeline. */
export interface PipelinePorts {
  context: ApiContext;
  options: EffectiveServerOptions;
  authorize: Authorizer;
  tokens: ServiceAccountTokens;
  faults: ApiFaults;
  resources: ResourcePorts;
  documents: DiscoveryDocuments;
  aggregator: Aggregator;
}

/** An authorized request: its attributes and its user. */
export interface AdmittedRequest {
  info: RequestInfo;
  user: RequestUser;
}

/** Splits a URL's path from its query. */
export function pathOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

/** Authenticates and authorizes a request. Throws 401 and 403. */
export function admitRequest({ options, authorize, tokens }: PipelinePorts, request: ApiRequest): AdmittedRequest {
  const { url, method = 'GET' } = request;
  const info = requestInfo(method, pathOf(url), queryOf(request));
  const user = impersonated(request, authenticate(request, options, tokens), authorize);
  requireAccess(authorize, { ...info, user });
  return { info, user };
}

/** Handles a request; rejects only if a fault breaks the connection. */
export async function handleRequest(ports: PipelinePorts, incoming: ApiRequest): Promise<ApiResponse> {
  let request = incoming;
  const { context, faults, options } = ports;
  const received = context.clock.now();
  let admitted: AdmittedRequest | undefined;
  const notes: RequestNotes = { warnings: [], annotations: {} };
  let cutAfter = false;
  let response: ApiResponse;
  try {
    admitted = admitRequest(ports, request);
    request = await readBody(ports, admitted.info, incoming);
    const fault = faults.take(admitted.info, admitted.user);
    if (fault) await suffer(context, fault, request.signal);
    cutAfter = fault?.cut === 'after';
    if (fault?.status === 410 && admitted.info.verb === 'watch') response = expiredWatch(fault, await errorCodec(incoming));
    else if (fault?.status !== undefined) throw faultError(fault);
    else response = await dispatch(ports, admitted, request, notes);
    if (options.storage && isWrite(admitted.info)) await options.storage.flushed();
  } catch (error) {
    if (isCut(error)) {
      if (admitted) options.onRequest({ ...admitted, status: undefined });
      throw error;
    }
    const status = wireStatusOf(error);
    if (status.code === 500) context.logger.warn({ err: error, url: request.url }, 'request failed');
    response = objectResponse(await errorCodec(incoming), status.code, status, retryHeader(status.details?.retryAfterSeconds));
  }
  const { warnings, annotations } = notes;
  if (warnings.length > 0) response = { ...response, headers: { ...response.headers, warning: warningHeader(warnings) } };
  if (admitted) {
    options.onRequest({ ...admitted, status: cutAfter ? undefined : response.status });
    if (options.audit && isWrite(admitted.info)) audit(options.audit, context, { ...admitted, annotations }, request, response, received);
  }
  if (cutAfter) throw connectionCut();
  return response;
}

/** The request with its body as JSON, unless another server gets it. */
async function readBody({ context, aggregator }: PipelinePorts, info: RequestInfo, request: ApiRequest): Promise<ApiRequest> {
  if (isProxied(info) || aggregator.find(info.path)) return request;
  return isYamlBody(request) ? withYamlBody(request) : withJsonBody(context.registry, info, request);
}

const isCut = (error: unknown) => (error as { code?: unknown }).code === 'ApiUnreachable';

async function suffer({ clock }: ApiContext, { latencyMs = 0, cut }: ApiFault, signal: AbortSignal | undefined): Promise<void> {
  if (latencyMs > 0) await clock.sleep(latencyMs, signal);
  if (cut === 'before') throw connectionCut();
}

/** The codec of a client that gets errors as protobuf. */
async function errorCodec({ headers }: ApiRequest): Promise<ProtobufCodec | undefined> {
  return takesProtobufErrors(headers?.accept) ? loadProtobuf() : undefined;
}

function expiredWatch(fault: ApiFault, protobuf: ProtobufCodec | undefined): ApiResponse {
  const status = wireStatusOf(faultError(fault));
  if (protobuf) {
    const headers = { 'content-type': `${protobufType};stream=watch` };
    return { status: 200, headers, body: new BytesBody(protobuf.encodeEvent('ERROR', status)) };
  }
  const line = `${JSON.stringify({ type: 'ERROR', object: status })}\n`;
  return { status: 200, headers: { 'content-type': 'application/json;stream=watch' }, body: line };
}

function dispatch(
  { context, options, documents, resources, aggregator }: PipelinePorts,
  { info, user }: AdmittedRequest,
  request: ApiRequest,
  notes: RequestNotes,
): Promise<ApiResponse> | ApiResponse {
  const remote = aggregator.find(info.path);
  if (remote) return aggregator.forward(remote, request, user);
  checkTimeout(info, queryOf(request));
  if (info.isResource)
    return withAnswers(context, (current) => handleResource({ ...resources, context: current, notes }, info, request, user));
  return nonResource({ documents, aggregator, serviceAccounts: options.serviceAccounts }, info, request, user);
}

function retryHeader(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}

function audit(
  report: (event: AuditEvent) => void,
  context: ApiContext,
  { info, user, annotations }: AdmittedRequest & { annotations: Record<string, string> },
  request: ApiRequest,
  response: ApiResponse,
  received: number,
): void {
  const json = (value: unknown) => {
    if (value instanceof BytesBody) return loadedProtobuf()?.decodeObject(value.bytes);
    if (typeof value !== 'string') return isObject(value) ? value : undefined;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      return undefined;
    }
  };
  const event = auditEvent({
    id: newUid(context),
    url: request.url,
    info,
    user,
    userAgent: request.headers?.['user-agent'],
    requestObject: json(request.body),
    code: response.status,
    responseObject: json(response.body),
    annotations,
    received,
    answered: context.clock.now(),
  });
  report(event);
}
