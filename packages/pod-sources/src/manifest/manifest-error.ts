import { NodeAgentError } from '@nodeagent/api';
import type { podSourcesErrorCodes } from '../errors.js';
import type { FieldProblem } from '../field-problem.js';

/** The `details` of an error about a manifest. */
export interface ManifestErrorDetails {
  /** The file or URL; absent if the text came without one. */
  file?: string;
  /** The document's number in its file, from 1; absent if the file has only one. */
  document?: number;
  /** The first invalid field; empty for the whole document. */
  field: string;
  /** The field's problem. */
  problem: string;
  /** All problems, in the order of detection. */
  problems: readonly FieldProblem[];
}

/** The place of a document. */
export interface ManifestPlace {
  file?: string | undefined;
  document?: number | undefined;
}

type Code = (typeof podSourcesErrorCodes)['notAPod' | 'invalidManifest' | 'staticPodReference'];

const shown = 4;

/** A one-line error: file, document, field, problem. */
export function manifestError(code: Code, place: ManifestPlace, problems: readonly [FieldProblem, ...FieldProblem[]]): NodeAgentError {
  const [first] = problems;
  const parts = problems.slice(0, shown).map(({ field, problem }) => oneLine(field === '' ? problem : `${field}: ${problem}`));
  if (problems.length > shown) parts.push(`and ${problems.length - shown} more`);
  const details: ManifestErrorDetails = { ...placeDetails(place), field: first.field, problem: first.problem, problems };
  const hint = problems.find((problem) => problem.hint !== undefined)?.hint;
  return new NodeAgentError(code, `${placePrefix(place)}${parts.join('; ')}`, {
    details: { ...details },
    hint,
  });
}

/** `a.yaml, document 2: `; empty if nothing is known. */
export function placePrefix({ file, document }: ManifestPlace): string {
  const parts = [...(file === undefined ? [] : [oneLine(file)]), ...(document === undefined ? [] : [`document ${document}`])];
  return parts.length === 0 ? '' : `${parts.join(', ')}: `;
}

function placeDetails({ file, document }: ManifestPlace): ManifestPlace {
  return { ...(file !== undefined && { file }), ...(document !== undefined && { document }) };
}

/** Escapes control characters, including line ends and those of the direction of writing, as in JSON: manifests are untrusted, and the text appears in logs and terminals. */
export function oneLine(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
