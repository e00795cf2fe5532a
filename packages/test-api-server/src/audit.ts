import { isObject } from '@nodeagent/api/helpers';
import type { RequestUser } from './access/user.js';
import type { RequestInfo } from './requests/request-info.js';

/** An audit event of a write (`audit.k8s.io/v1`, level RequestResponse): Kubernetes documentation, "Auditing". */
export interface AuditEvent {
  kind: 'Event';
  apiVersion: 'audit.k8s.io/v1';
  level: 'RequestResponse';
  auditID: string;
  stage: 'ResponseComplete';
  requestURI: string;
  verb: string;
  user: RequestUser;
  userAgent?: string;
  objectRef: Record<string, string>;
  responseStatus: { metadata: Record<string, never>; code: number };
  requestObject?: unknown;
  responseObject?: unknown;
  /** What admission plugins noted. */
  annotations?: Readonly<Record<string, string>>;
  requestReceivedTimestamp: string;
  stageTimestamp: string;
}

/** Facts about a finished request. */
export interface AuditedCall {
  id: string;
  url: string;
  info: RequestInfo;
  user: RequestUser;
  userAgent: string | undefined;
  requestObject: unknown;
  code: number;
  responseObject: unknown;
  annotations: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  received: number;
  answered: number;
}

const reads = ['get', 'list', 'watch', 'head'];

/** Whether a request writes an object. */
export const isWrite = ({ isResource, verb }: RequestInfo) => isResource && !reads.includes(verb);

const microTime = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z');

/** The audit event of a call. */
export function auditEvent(call: AuditedCall): AuditEvent {
  const { group, version, resource, subresource, namespace, name } = call.info;
  const { metadata } = isObject(call.responseObject) ? (call.responseObject as { metadata?: { name?: string; uid?: string } }) : {};
  const reference = { resource, namespace, name: name ?? metadata?.name, apiGroup: group || undefined, apiVersion: version, subresource };
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: call.id,
    stage: 'ResponseComplete',
    requestURI: call.url,
    verb: call.info.verb,
    user: call.user,
    ...(call.userAgent !== undefined && { userAgent: call.userAgent }),
    objectRef: Object.fromEntries(Object.entries(reference).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    responseStatus: { metadata: {}, code: call.code },
    ...(call.requestObject !== undefined && { requestObject: call.requestObject }),
    ...(call.responseObject !== undefined && { responseObject: call.responseObject }),
    ...(Object.keys(call.annotations).length > 0 && { annotations: call.annotations }),
    requestReceivedTimestamp: microTime(call.received),
    stageTimestamp: microTime(call.answered),
  };
}
