import { dnsSubdomainProblems } from '@nodeagent/api/helpers';
import type { WebhookClientConfig } from '../webhooks/client-config.js';
import type { KindFieldProblem } from './kind-rules.js';

const required = (field: string, rule = ''): KindFieldProblem => ({ field, problem: `Required value${rule && `: ${rule}`}` });
const invalid = (field: string, value: unknown, rule: string): KindFieldProblem => ({
  field,
  problem: `Invalid value: ${JSON.stringify(value)}: ${rule}`,
});

/** Problems of how to reach a webhook of admission or conversion: Kubernetes API reference, "WebhookClientConfig". */
export function clientConfigProblems({ url, service, caBundle }: WebhookClientConfig, at: string): KindFieldProblem[] {
  if ((url === undefined) === (service === undefined)) return [required(at, 'exactly one of url or service is required')];
  return [
    ...(caBundle && !isPem(caBundle)
      ? [invalid(`${at}.caBundle`, caBundle, 'unable to load root certificates: unable to parse bytes as PEM block')]
      : []),
    ...(service ? serviceProblems(service, `${at}.service`) : urlProblems(url ?? '', `${at}.url`)),
  ];
}

function isPem(caBundle: string): boolean {
  try {
    return atob(caBundle).includes('-----BEGIN CERTIFICATE-----');
  } catch {
    return false;
  }
}

function serviceProblems(
  { name, namespace, path = '', port = 443 }: NonNullable<WebhookClientConfig['service']>,
  at: string,
): KindFieldProblem[] {
  return [
    ...(name ? [] : [required(`${at}.name`)]),
    ...(namespace ? [] : [required(`${at}.namespace`)]),
    ...(port >= 1 && port <= 65_535 ? [] : [invalid(`${at}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...pathRules(path).map((rule) => invalid(`${at}.path`, path, rule)),
  ];
}

function pathRules(path: string): string[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return ['segment[0] may not be empty'];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(path.startsWith('/') ? [] : ["must start with a '/'"]),
    ...steps.flatMap((step, index) =>
      step === '' ? [`segment[${index}] may not be empty`] : dnsSubdomainProblems(step).map((rule) => `segment[${index}]: ${rule}`),
    ),
  ];
}

const form = 'desired format: https://host[/path]';

function urlProblems(text: string, field: string): KindFieldProblem[] {
  if (!URL.canParse(text))
    return [required(field, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URI for request; ${form}`)];
  const { protocol, username, password, hash, search } = new URL(text);
  const user = password ? `${username}:${password}` : username;
  return [
    ...(protocol === 'https:' ? [] : [invalid(field, protocol.slice(0, -1), `'https' is the only allowed URL scheme; ${form}`)]),
    ...(user ? [invalid(field, user, 'user information is not permitted in the URL')] : []),
    ...(hash ? [invalid(field, hash.slice(1), 'fragments are not permitted in the URL')] : []),
    ...(search ? [invalid(field, search.slice(1), 'query parameters are not permitted in the URL')] : []),
  ];
}
