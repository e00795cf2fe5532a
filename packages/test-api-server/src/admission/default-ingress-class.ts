import { type AdmissionPlugin, isFor, objectOf } from './plugin.js';

const mark = 'ingressclass.kubernetes.io/is-default-class';

/** Gives ingresses without a class the default one; of several the newest. */
export const defaultIngressClass: AdmissionPlugin = {
  name: 'DefaultIngressClass',
  mutate(request, { store }) {
    if (!isFor(request, 'create', 'networking.k8s.io', 'ingresses')) return;
    const ingress = objectOf(request) as { metadata: { annotations?: Record<string, string> }; spec?: { ingressClassName?: string } };
    if (ingress.spec?.ingressClassName !== undefined || ingress.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined) return;
    const defaults = store
      .list('networking.k8s.io/ingressclasses')
      .filter(({ metadata }) => metadata.annotations?.[mark] === 'true')
      .sort((a, b) => (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''));
    const name = defaults[0]?.metadata.name;
    if (name) ingress.spec = { ...ingress.spec, ingressClassName: name };
  },
};
