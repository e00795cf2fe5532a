const labelPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const namePattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

/** Longest DNS label, and longest name part of a qualified name. */
const maxLabel = 63;
/** Longest DNS subdomain. */
const maxSubdomain = 253;

const tooLong = (longest: number) => `must be no more than ${longest} characters`;
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const nameRule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** The rules of a DNS label (RFC 1123) that the text breaks; none if it is one. */
export function dnsLabelProblems(text: string): string[] {
  return [...(text.length > maxLabel ? [tooLong(maxLabel)] : []), ...(labelPattern.test(text) ? [] : [labelRule])];
}

/** The rules of a DNS subdomain (RFC 1123) that the text breaks; none if it is one. */
export function dnsSubdomainProblems(text: string): string[] {
  return [...(text.length > maxSubdomain ? [tooLong(maxSubdomain)] : []), ...(subdomainPattern.test(text) ? [] : [subdomainRule])];
}

/** The rules of the API for names of CSI drivers that the text breaks: a DNS subdomain of at most 63 characters, in any case. */
export function csiDriverNameProblems(text: string): string[] {
  return [...(text.length > maxLabel ? [tooLong(maxLabel)] : []), ...(subdomainPattern.test(text.toLowerCase()) ? [] : [subdomainRule])];
}

/** The rules of a label or annotation key, `[prefix/]name`, that the text breaks; none if it is one. */
export function qualifiedNameProblems(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2) return [`a valid label key ${nameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const name = parts.at(-1) ?? '';
  const problems: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    problems.push(
      ...(prefix === '' ? ['prefix part must be non-empty'] : dnsSubdomainProblems(prefix).map((problem) => `prefix part ${problem}`)),
    );
  }
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > maxLabel) problems.push(`name part ${tooLong(maxLabel)}`);
  if (!namePattern.test(name)) problems.push(`name part ${nameRule}`);
  return problems;
}

/** The rules of a label's value that the text breaks; none if it is one. */
export function labelValueProblems(text: string): string[] {
  return [
    ...(text.length > maxLabel ? [tooLong(maxLabel)] : []),
    ...(text === '' || namePattern.test(text) ? [] : [`a valid label must be an empty string or ${nameRule}`]),
  ];
}
