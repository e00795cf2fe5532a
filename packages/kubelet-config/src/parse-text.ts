import { readYaml } from '@nodeagent/yaml';
import { kubeletConfigurationErrors } from './configuration-error.js';

/** A parsed value, and its duplicate keys. */
export interface ParsedText {
  value: unknown;
  /** One message for each duplicate key; the last one counts. */
  duplicates: string[];
}

/** Parses a YAML or JSON text of one document; see {@link readYaml}. Throws `InvalidKubeletConfiguration`. */
export async function parseText(text: string): Promise<ParsedText> {
  const documents = (await readYaml(text)).filter(({ value, problem }) => problem || (value !== null && value !== undefined));
  const problem = documents.find((document) => document.problem)?.problem;
  if (problem?.code === 'LIMIT' || problem?.code === 'ENCODING') throw kubeletConfigurationErrors([problem.message]);
  if (problem) throw invalid(problem.message);
  if (documents.length > 1) throw invalid('more than one document');
  const { value, duplicateLines = [] } = documents[0] ?? {};
  return { value, duplicates: duplicateLines.map((line) => `line ${line}: the key occurs twice, the last one counts`) };
}

const invalid = (why: string) => kubeletConfigurationErrors([`not valid YAML or JSON: ${why}`]);
