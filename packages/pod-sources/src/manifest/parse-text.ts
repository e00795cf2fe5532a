import { errorMessage } from '@nodeagent/api';
import { readYaml } from '@nodeagent/yaml';
import type { FieldProblem } from '../field-problem.js';

/** One document of a manifest: its value or its problem. */
export interface TextDocument {
  /** Number of the document, from 1, including empty ones. */
  document: number;
  value?: unknown;
  problem?: FieldProblem;
  warnings: string[];
}

/** Parses the documents of a YAML or JSON text; omits empty ones. As in the kubelet, a text that starts with `{` is JSON. */
export async function parseText(text: string): Promise<TextDocument[]> {
  return text.trimStart().startsWith('{') ? parseJson(text) : parseYaml(text);
}

function parseJson(text: string): TextDocument[] {
  try {
    return [{ document: 1, value: JSON.parse(text), warnings: [] }];
  } catch (error) {
    return [unreadable(1, `not valid JSON: ${errorMessage(error)}`)];
  }
}

async function parseYaml(text: string): Promise<TextDocument[]> {
  return (await readYaml(text)).flatMap(({ document, value, problem, duplicateLines }): TextDocument[] => {
    if (problem?.code === 'ENCODING') return [unreadable(document, problem.message, 'save the file as UTF-8')];
    if (problem?.code === 'LIMIT') return [unreadable(document, problem.message, 'split the file, or write it as JSON')];
    if (problem) return [unreadable(document, `not valid YAML: ${problem.message}`)];
    if (value === null || value === undefined) return [];
    return [{ document, value, warnings: duplicateLines.map((line) => `line ${line}: the key occurs twice, the last one counts`) }];
  });
}

function unreadable(document: number, problem: string, hint?: string): TextDocument {
  return { document, problem: { field: '', problem, ...(hint !== undefined && { hint }) }, warnings: [] };
}
