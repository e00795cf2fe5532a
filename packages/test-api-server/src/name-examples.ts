const examples: readonly [rule: string, example: string][] = [
  [
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    "(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ],
  [
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ],
  [
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ],
  [
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ],
];

/** The problem of a name or a label as a cluster words it: with examples and the pattern, and sizes in bytes. */
export function withExamples(problem: string): string {
  if (!/alphanumeric|characters$/.test(problem)) return problem;
  const text = problem
    .replace(/must be no more than (\d+) characters$/, 'must be no more than $1 bytes')
    .replace('an empty string or must consist', 'an empty string or consist');
  const found = examples.find(([rule]) => text.includes(rule));
  return found === undefined || text.includes(found[1]) ? text : text.replace(found[0], `${found[0]} ${found[1]}`);
}
