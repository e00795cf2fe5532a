import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage, type KubeObject, NodeAgentError } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { readYaml } from '@nodeagent/yaml';
import { hasRules, loadCel } from '../custom-resources/rules-loader.js';
import { testApiServerErrorCodes } from '../errors.js';
import type { TestApiServer } from '../test-api-server.js';

/** Kinds that others need, in the order in which they are applied. */
const first = ['Namespace', 'CustomResourceDefinition'];

interface FileObject {
  /** The file and the number of the document, for errors. */
  origin: string;
  object: KubeObject;
}

/**
 * Applies the objects in files: CustomResourceDefinitions, webhooks, or any others, in YAML or JSON. A folder stands for its files named `*.yaml`,
 * `*.yml` and `*.json`. Namespaces and definitions come first. Returns the applied objects.
 *
 * @throws NodeAgentError `InvalidFile` with the name of the file, and the errors of the file system
 */
export async function applyFiles(server: Pick<TestApiServer, 'objects'>, paths: readonly string[]): Promise<KubeObject[]> {
  const found: FileObject[] = [];
  for (const file of paths.flatMap(filesOf)) found.push(...(await objectsOf(file)));
  if (found.some(({ object }) => hasRules(object))) await loadCel();
  const rank = ({ object }: FileObject) => (first.includes(object.kind ?? '') ? first.indexOf(object.kind ?? '') : first.length);
  return found
    .sort((a, b) => rank(a) - rank(b))
    .map(({ origin, object }) => {
      try {
        return server.objects.apply(object, { force: true });
      } catch (error) {
        throw invalidFile(origin, errorMessage(error));
      }
    });
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => /\.(ya?ml|json)$/.test(name));
  return names.sort().map((name) => join(path, name));
}

async function objectsOf(file: string): Promise<FileObject[]> {
  const documents = await readYaml(readFileSync(file, 'utf8'));
  return documents.flatMap(({ document, value, problem }) => {
    const origin = `${file}, document ${document}`;
    if (problem) throw invalidFile(origin, problem.line === undefined ? problem.message : `line ${problem.line}: ${problem.message}`);
    if (value === undefined || value === null) return [];
    if (!isObject(value)) throw invalidFile(origin, 'it is not an object');
    const { kind, items } = value as { kind?: unknown; items?: unknown };
    const objects = kind === 'List' && Array.isArray(items) ? items : [value];
    return objects.map((object) => ({ origin, object: object as KubeObject }));
  });
}

const invalidFile = (origin: string, problem: string) =>
  new NodeAgentError(testApiServerErrorCodes.invalidFile, `apply ${origin}: ${problem}`, { details: { origin } });
