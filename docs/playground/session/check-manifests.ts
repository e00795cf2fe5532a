import { apiStatusOf, errorMessage, type KubeObject, type Pod, type PodSpec } from '@nodeagent/api';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { behaviourPrefix, behaviourProblem } from './behaviour.js';
import { type FieldPath, fieldPath, lineFinder, type ManifestObject, type Problem, readManifests } from './manifest-text.js';
import { isImageObject, programOf } from './programs.js';

/** The problems of a text of manifests: of its YAML, and an empty API server's refusals of its objects. */
export async function checkManifests(text: string): Promise<Problem[]> {
  const { objects, problems } = await readManifests(text);
  const server = createTestApiServer({ clock: createVirtualClock(), random: seededRandom(1) });
  const find = lineFinder(text);
  for (const { document, object } of objects) {
    problems.push(...behaviourProblems({ document, object }, find));
    try {
      if (isImageObject(object)) {
        programOf(object);
        continue;
      }
      // An apply would report a missing key of a list in other words, without its field.
      server.objects.create(object);
    } catch (error) {
      problems.push(...problemsOf(error, document, find));
    }
  }
  await server.close();
  return problems;
}

type FindLine = ReturnType<typeof lineFinder>;

/** An API server's refusal as problems at the lines of the fields that it names. */
export function problemsOf(error: unknown, document: number, find: FindLine): Problem[] {
  const { causes } = (apiStatusOf(error) ?? {}) as { causes?: readonly { field?: string; message: string }[] };
  const named = (causes ?? []).flatMap(({ field, message }) =>
    field ? [{ line: find(document, fieldPath(field)), message: `${field}: ${message}` }] : [],
  );
  if (named.length > 0) return named;
  const message = errorMessage(error);
  return [{ line: find(document, namedField(message)), message }];
}

/** The field that strict decoding does not know, or in which an apply cannot merge: the text has it or its parent. */
const namedField = (message: string): FieldPath =>
  fieldPath(/(?:unknown|duplicate) field "([^"]+)"|: \.([\w.]+): |^(\w+): /.exec(message)?.slice(1).find(Boolean) ?? '');

function behaviourProblems({ document, object }: ManifestObject, find: FindLine): Problem[] {
  const { path, template } = podTemplateOf(object);
  return Object.entries(template?.metadata?.annotations ?? {}).flatMap(([key, text]) => {
    if (!key.startsWith(behaviourPrefix)) return [];
    const at = find(document, [...path, 'metadata', 'annotations', key]);
    const container = key.slice(behaviourPrefix.length);
    const names = containersOf(template?.spec).map(({ name }) => name);
    const problem = names.includes(container)
      ? behaviourProblem(String(text))
      : `there is no container "${container}", only ${names.join(', ')}`;
    return problem === undefined ? [] : [{ line: at, message: `behaviour: ${problem}` }];
  });
}

type Template = Pick<Pod, 'metadata' | 'spec'>;

/** The pod or pod template of an object, with its path. */
export function podTemplateOf(object: KubeObject): { path: FieldPath; template: Template | undefined } {
  if (object.kind === 'Pod') return { path: [], template: object as Pod };
  const { spec } = object as { spec?: { template?: Template } };
  return { path: ['spec', 'template'], template: spec?.template };
}

export const containersOf = (spec: PodSpec | undefined) => [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
