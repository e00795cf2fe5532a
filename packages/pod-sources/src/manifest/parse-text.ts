import { errorMessage } from '@nodeagent/api';
import type { DocumentOptions, ParseOptions, SchemaOptions, Tags } from 'yaml';
import type { FieldProblem } from '../field-problem.js';

/** One document of a manifest: its value, or why there is none. */
export interface TextDocument {
  /** From 1, as the separators in the text count. */
  document: number;
  value?: unknown;
  problem?: FieldProblem;
  warnings: string[];
}

/**
 * The documents of a YAML or JSON text; those without content are left out. A text that begins with `{` is JSON. YAML is read as
 * Kubernetes reads it: version 1.1 (`yes` is a truth value, `0644` is octal), but times of day and dates are text.
 */
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

const yamlOptions: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  uniqueKeys: true,
  prettyErrors: true,
  logLevel: 'silent',
  customTags: (tags: Tags) => tags.filter((tag) => typeof tag === 'string' || (tag.format !== 'TIME' && !tag.tag.endsWith(':timestamp'))),
};

async function parseYaml(text: string): Promise<TextDocument[]> {
  const { parseAllDocuments } = await import('yaml');
  try {
    const documents: TextDocument[] = [];
    for (const [index, document] of [...parseAllDocuments(text, yamlOptions)].entries()) {
      const number = index + 1;
      const fatal = document.errors.find((error) => error.code !== 'DUPLICATE_KEY');
      if (fatal !== undefined) {
        documents.push(unreadable(number, `not valid YAML: ${firstLine(fatal.message)}`));
        continue;
      }
      const value: unknown = document.toJS({ maxAliasCount: 100 });
      const warnings = document.errors.map(({ linePos }) => `line ${linePos?.[0].line ?? '?'}: the key occurs twice, the last one counts`);
      if (value !== null && value !== undefined) documents.push({ document: number, value, warnings });
    }
    return documents;
  } catch (error) {
    return [unreadable(1, `not valid YAML: ${firstLine(errorMessage(error))}`)];
  }
}

function unreadable(document: number, problem: string): TextDocument {
  return { document, problem: { field: '', problem }, warnings: [] };
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0]?.replace(/:$/, '') ?? '';
}
