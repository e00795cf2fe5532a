/**
 * An in-process Kubernetes API server for tests: it serves kubectl and every other client, and injects faults on demand.
 *
 * @packageDocumentation
 */

export type { CertificateSignerOptions, ControllerChoice, NodeIpamSettings, NodeLifecycleSettings } from '@nodeagent/test-controllers';
export type { NodeExplanation, SchedulingExplanation } from '@nodeagent/test-controllers/decisions';
export type { CertificateSubject } from '@nodeagent/x509';
export type { AccessAttributes, AccessDecision, Authorizer } from './access/authorizer.js';
export type { ServiceAccountOptions, TokenKeys } from './access/token-keys.js';
export type { RequestUser } from './access/user.js';
export type { AdmissionChoice } from './admission/chain.js';
export type { AuditEvent } from './audit.js';
export { loadCel } from './custom-resources/rules-loader.js';
export { testApiServerErrorCodes } from './errors.js';
export type { ApiFault, ApiFaultHandle, RequestMatch } from './faults.js';
export type { KeyedCertificate, TestAuthority } from './network/authority.js';
export type { KubeconfigOptions, ListenOptions } from './network/listener.js';
export type { NodeProxy, NodeProxyOptions, NodeTarget } from './network/node-proxy.js';
export type { InProcessNodeServer, NodeExecAnswer, NodeExecRequest } from './network/node-server.js';
export type { InProcessPodServer, PodServers } from './network/pod-network.js';
export type { HttpAddress, HttpHandlers, HttpServer, ServerNetwork } from './network/server-network.js';
export type { ServerEndpoint, ServiceUrls } from './network/service-endpoint.js';
export type { ForwardToService, ServiceTarget } from './network/service-target.js';
export type { ServerObjects, WatchedChange } from './objects-api.js';
export type { DeletionOptions } from './operations/delete.js';
export type { AnsweredRequest, TestApiServerOptions } from './options.js';
export type { MeasuredUsage, MetricQuery, MetricsSource } from './requests/metrics.js';
export { type ApiRequest, type ApiResponse, textResponse } from './requests/request.js';
export { type RequestInfo, requestInfo } from './requests/request-info.js';
export type { StoreJournal } from './store/object-store.js';
export type { ServerStorage, StoredState } from './store/server-storage.js';
export { createTestApiServer, type TestApiServer } from './test-api-server.js';
export type { CallWebhook, WebhookAnswer, WebhookCall } from './webhooks/webhook-port.js';
