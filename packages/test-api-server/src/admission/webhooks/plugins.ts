import type { AdmissionRequest } from '../../access/admission-request.js';
import type { ApiContext } from '../../context.js';
import { onDemand } from '../on-demand.js';
import type { AdmissionPlugin } from '../plugin.js';
import { mutatingConfigurations, validatingConfigurations } from './configuration.js';

const loadDispatch = onDemand('webhooks', () => import('./dispatch.js'));

/** The code that calls webhooks, if there are any, and the writer can wait for them. */
function dispatch(context: ApiContext, configurations: string) {
  return context.answers.canWait && context.store.list(configurations).length > 0 ? loadDispatch(context) : undefined;
}

/** Lets webhooks change objects: Kubernetes documentation, "Dynamic Admission Control". */
export const mutatingWebhooks: AdmissionPlugin = {
  name: 'MutatingAdmissionWebhook',
  mutate: (request: AdmissionRequest, context: ApiContext) => dispatch(context, mutatingConfigurations)?.mutateByWebhooks(request, context),
};

/** Lets webhooks refuse writes. */
export const validatingWebhooks: AdmissionPlugin = {
  name: 'ValidatingAdmissionWebhook',
  validate: (request: AdmissionRequest, context: ApiContext) =>
    dispatch(context, validatingConfigurations)?.validateByWebhooks(request, context),
};
