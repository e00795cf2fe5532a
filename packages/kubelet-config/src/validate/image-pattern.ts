const blanks = /^[\t-\r\u0085\p{Z}]|[\t-\r\u0085\p{Z}]$/u;

/** Why a pattern of an image allowlist is invalid; undefined if it is valid: `name` for one image, `path/*` for all below a path. */
export function imagePatternProblem(pattern: string): string | undefined {
  if (blanks.test(pattern)) return `leading/trailing spaces are not allowed: ${pattern}`;
  const isPrefix = pattern.endsWith('/*');
  const name = isPrefix ? pattern.slice(0, -2) : pattern;
  if (name === '') return `the supplied pattern is too short: ${pattern}`;
  if (name.includes('*')) return `not a valid wildcard pattern, only patterns ending with '/*' are allowed: ${pattern}`;
  return isPrefix ? undefined : referenceProblem(pattern);
}

const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const pathPart = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const tag = ':[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const algorithmPart = '[A-Za-z][A-Za-z0-9]*';
const digest = `@${algorithmPart}(?:[-_+.]${algorithmPart})*:[0-9a-fA-F]{32,}`;
const reference = new RegExp(`^((?:${domain}/)?${pathPart}(?:/${pathPart})*)(${tag})?(${digest})?$`);

/** The distribution reference grammar, without normalization: `nginx` is a complete name. */
function referenceProblem(text: string): string | undefined {
  const failed = 'failed to parse as an image name';
  const [matched, name = '', version, checksum] = reference.exec(text) ?? [];
  if (matched === undefined) {
    const isUpperCase = reference.test(text.toLowerCase());
    return `${failed}: ${isUpperCase ? 'repository name must be lowercase' : 'invalid reference format'}`;
  }
  if (name.length > 255) return `${failed}: repository name must not be more than 255 characters`;
  return version === undefined && checksum === undefined ? undefined : `neither tag nor digest is accepted in an image reference: ${text}`;
}
