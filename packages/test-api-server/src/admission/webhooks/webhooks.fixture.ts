import { isObject } from '@nodeagent/api/helpers';
import type { TestApiServerOptions } from '../../options.js';
import { setUp } from '../../test-api-server.fixture.js';
import type { WebhookAnswer, WebhookCall } from '../../webhooks/webhook-port.js';
import type { ReviewRequest } from '../admission-review.js';

type Respond = (request: ReviewRequest) => object | Promise<object>;

export const mutating = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
export const validating = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

export const rule = (resource: string, ...operations: string[]) => ({
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: [resource],
  operations: operations.length > 0 ? operations : ['*'],
});

/** A webhook that is served at `/name` of a service. */
export const webhook = (name: string, more: object = {}) => ({
  name: `${name}.example.com`,
  clientConfig: { service: { namespace: 'default', name: 'hooks', path: `/${name}` } },
  rules: [rule('configmaps', 'CREATE', 'UPDATE')],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});

export const configuration = (name: string, ...webhooks: object[]) => ({ metadata: { name }, webhooks });

export const allow: Respond = () => ({ allowed: true });
export const deny =
  (message: string): Respond =>
  () => ({ allowed: false, status: { message } });
export const patchWith =
  (...operations: object[]): Respond =>
  () => ({ allowed: true, patchType: 'JSONPatch', patch: btoa(JSON.stringify(operations)) });
export const addLabel = (key: string) => patchWith({ op: 'add', path: '/data', value: { [key]: 'yes' } });

/** A server whose webhooks are functions, by the path of their service; a function that returns a number or text answers with that. */
export function setUpWebhooks(handlers: Record<string, Respond | (() => string | number)> = {}, options: TestApiServerOptions = {}) {
  const reviews: (ReviewRequest & { path: string })[] = [];
  const answer = async ({ url, body }: WebhookCall): Promise<WebhookAnswer> => {
    const path = new URL(url).pathname.slice(1);
    const { request } = JSON.parse(body) as { request: ReviewRequest };
    reviews.push({ ...request, path });
    const response = await handlers[path]?.(request);
    if (typeof response === 'number') return { status: response, body: 'broken' };
    if (typeof response === 'string') return { status: 200, body: response };
    const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { uid: request.uid, ...response } };
    return { status: 200, body: JSON.stringify(isObject(response) ? review : response) };
  };
  const { watch: _watch, ...set } = setUp({ webhooks: answer, ...options });
  const register = async (url: string, ...webhooks: object[]) => {
    const { status, body } = await set.call('POST', url, configuration('hooks', ...webhooks));
    if (status !== 201) throw new Error(body.message);
  };
  const create = (name = 'c', more: object = {}) =>
    set.call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name }, ...more });
  return { ...set, reviews, register, create };
}
