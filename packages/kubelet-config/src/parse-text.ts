import { errorMessage } from '@nodeagent/api';
import type { DocumentOptions, ParseOptions, SchemaOptions, Tags } from 'yaml';
import { kubeletConfigurationErrors } from './configuration-error.js';

/** What a text says, and what it says twice. */
export interface ParsedText {
  value: unknown;
  /** One sentence for each key that occurs more than once; the last one counts. */
  duplicates: string[];
}

const yamlOptions: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  uniqueKeys: true,
  prettyErrors: true,
  logLevel: 'silent',
  customTags: (tags: Tags) => tags.filter((tag) => typeof tag === 'string' || (tag.format !== 'TIME' && !tag.tag.endsWith(':timestamp'))),
};

/**
 * Reads a YAML or JSON text of one document, as Kubernetes does: YAML 1.1 (`yes` is a truth value), but times of day and dates are text.
 * Throws `InvalidKubeletConfiguration`.
 */
export async function parseText(text: string): Promise<ParsedText> {
  const { parseAllDocuments } = await import('yaml');
  try {
    const documents = [...parseAllDocuments(text, yamlOptions)].filter((document) => document.contents !== null);
    const [document] = documents;
    if (document === undefined) return { value: undefined, duplicates: [] };
    if (documents.length > 1) throw new Error('more than one document');
    const fatal = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
    if (fatal !== undefined) throw fatal;
    const duplicates = document.errors.map(({ linePos }) => `line ${linePos?.[0].line ?? '?'}: the key occurs twice, the last one counts`);
    return { value: document.toJS({ maxAliasCount: 100 }), duplicates };
  } catch (error) {
    throw kubeletConfigurationErrors([`not valid YAML or JSON: ${errorMessage(error).split('\n', 1)[0]?.replace(/:$/, '')}`], error);
  }
}
