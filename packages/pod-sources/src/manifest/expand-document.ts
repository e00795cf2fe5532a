import { isObject } from '@nodeagent/api/helpers';
import type { FieldProblem } from '../field-problem.js';
import type { TextDocument } from './parse-text.js';

/** A document, or an object in one, which is at a path in it. */
export interface ObjectText extends TextDocument {
  at?: readonly (string | number)[];
}

/** More replicas are an error: a node has 110 pods by default. */
const maxReplicas = 500;

/** The pods of a `PodList` as separate objects; any other document unchanged. */
export function expandPodList(document: TextDocument): ObjectText[] {
  return itemsOf(document, (value) => value.kind === 'PodList') ?? [document];
}

/** The objects of a `List` or `PodList`, and the pods of Deployments; any other document unchanged. */
export function expandDocument(document: TextDocument): ObjectText[] {
  const items = itemsOf(document, ({ kind }) => kind === 'List' || kind === 'PodList') ?? [document];
  return items.flatMap(podsOfDeployment);
}

function itemsOf(document: TextDocument, isList: (value: Record<string, unknown>) => boolean): ObjectText[] | undefined {
  const { value } = document;
  if (!isObject(value) || !isList(value) || value.apiVersion !== 'v1') return undefined;
  // An API server and the kubelet's /pods write an empty list as null.
  const items = value.items ?? [];
  if (!Array.isArray(items)) return undefined;
  const defaults = value.kind === 'PodList' ? { apiVersion: 'v1', kind: 'Pod' } : {};
  return items.map((item: unknown, index) => ({
    ...document,
    value: isObject(item) ? { ...defaults, ...item } : item,
    at: ['items', index],
  }));
}

/** The pods `NAME-0`, `NAME-1`, ... of the template, as many as replicas. The first has a note for the user. */
function podsOfDeployment(text: ObjectText): ObjectText[] {
  const { value, at = [], warnings } = text;
  if (!isObject(value) || value.kind !== 'Deployment' || value.apiVersion !== 'apps/v1') return [text];
  const spec = isObject(value.spec) ? value.spec : {};
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const problem = deploymentProblem(metadata, spec);
  if (problem !== undefined) return [{ ...text, problem }];
  const template = isObject(spec.template) ? spec.template : {};
  const labels = isObject(template.metadata) ? template.metadata : {};
  const replicas = Number(spec.replicas ?? 1);
  const note = `the Deployment ${metadata.name} runs all replicas (${replicas}) on this node; a changed template replaces all pods at once`;
  return Array.from({ length: replicas }, (_, index) => ({
    ...text,
    value: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...labels,
        name: `${metadata.name}-${index}`,
        ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      },
      spec: template.spec,
    },
    at: [...at, 'spec', 'template'],
    warnings: index === 0 ? [...warnings, note] : [],
  }));
}

function deploymentProblem(
  metadata: Record<string, unknown>,
  { replicas = 1, template }: Record<string, unknown>,
): FieldProblem | undefined {
  if (typeof metadata.name !== 'string' || metadata.name === '') return { field: 'metadata.name', problem: 'Required value' };
  if (!isObject(template)) return { field: 'spec.template', problem: 'Required value' };
  const isCount = replicas === null || (Number.isInteger(replicas) && Number(replicas) >= 0 && Number(replicas) <= maxReplicas);
  return isCount ? undefined : { field: 'spec.replicas', problem: `must be a whole number from 0 to ${maxReplicas}` };
}
