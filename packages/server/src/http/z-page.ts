import { answerJson, answerText } from './answers.js';
import type { Exchange } from './exchange.js';

/** A debugging page of a Kubernetes component: text for people, and an object for programs. */
export interface ZPage {
  /** The kind of the object. */
  kind: 'Flagz' | 'Statusz';
  /** The first line of the text, after the component's name. */
  title: string;
  lines: readonly string[];
  /** The fields of the object beside kind, version and metadata. */
  fields: object;
}

const group = 'config.k8s.io';
const version = 'v1beta1';
/** The name under which the page presents the agent: it serves the kubelet's API. */
const component = 'kubelet';
const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

/**
 * Answers with text, or with the object if the `Accept` header requests it by group, version and kind; otherwise with 406. Source: Kubernetes
 * reference, "Kubernetes z-pages".
 */
export function answerZPage({ request, response }: Pick<Exchange, 'request' | 'response'>, page: ZPage): void {
  const { kind, title, lines, fields } = page;
  const form = acceptedForm(request.headers.accept, kind);
  if (form === undefined) answerText(response, 406, `only text/plain and application/json;v=${version};g=${group};as=${kind} are served\n`);
  else if (form === 'text') answerText(response, 200, `${component} ${title}\n${warning}\n\n${lines.map((line) => `${line}\n`).join('')}`);
  else answerJson(response, JSON.stringify({ kind, apiVersion: `${group}/${version}`, metadata: { name: component }, ...fields }));
}

/** The first form of the page that the header accepts. */
function acceptedForm(accept = '*/*', kind: string): 'text' | 'object' | undefined {
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (['*/*', 'text/*', 'text/plain'].includes(type)) return 'text';
    const requested = new Map(parameters.map((parameter) => parameter.split('=', 2) as [string, string]));
    const isObject = requested.get('g') === group && requested.get('v') === version && requested.get('as') === kind;
    if (type === 'application/json' && isObject) return 'object';
  }
  return undefined;
}
