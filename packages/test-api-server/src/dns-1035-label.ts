const pattern = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
const maxLength = 63;

/** The rules of a DNS label of RFC 1035, which begins with a letter, that a text breaks; none if it is one. */
export function dns1035LabelProblems(text: string): string[] {
  const problems = text.length > maxLength ? [`must be no more than ${maxLength} bytes`] : [];
  if (pattern.test(text)) return problems;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...problems, `${rule} (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`];
}
