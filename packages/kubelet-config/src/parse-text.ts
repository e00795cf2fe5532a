import { readYaml } from '@nodeagent/yaml';
import { kubeletConfigurationErrors } from './configuration-error.js';

/** What a text says, and what it says twice. */
export interface ParsedText {
  value: unknown;
  /** One sentence for each key that occurs more than once; the last one counts. */
  duplicates: string[];
}

/** Reads a YAML or JSON text of one document; see {@link readYaml}. Throws `InvalidKubeletConfiguration`. */
export async function parseText(text: string): Promise<ParsedText> {
  const documents = (await readYaml(text)).filter(({ value, problem }) => problem || (value !== null && value !== undefined));
  const problem = documents.find((document) => document.problem)?.problem;
  if (problem?.code === 'LIMIT') throw kubeletConfigurationErrors([problem.message]);
  if (problem) throw invalid(problem.message);
  if (documents.length > 1) throw invalid('more than one document');
  const { value, duplicateLines = [] } = documents[0] ?? {};
  return { value, duplicates: duplicateLines.map((line) => `line ${line}: the key occurs twice, the last one counts`) };
}

const invalid = (why: string) => kubeletConfigurationErrors([`not valid YAML or JSON: ${why}`]);
