/** The fields of Kubernetes' kinds, for completion. */
export interface FieldTable {
  /** The apiVersion of each kind. */
  kinds: Record<string, string>;
  /** Fields by type: the field's type, of a list's elements with `[]`, and what it means. */
  types: Record<string, Record<string, [type: string, summary: string]>>;
}

/** A suggestion at a place of a text. */
export interface Suggestion {
  label: string;
  detail: string;
  summary: string;
}

/** What may stand at the end of `before`, the text before the cursor; `after` is the rest, which may name the kind. */
export function suggest(table: FieldTable, before: string, after: string): Suggestion[] {
  const lines = documentBefore(before).split('\n');
  const line = lines.pop() ?? '';
  const [, value] = /^(?:kind|apiVersion): *(\w*)$/.exec(line) ?? [];
  if (value !== undefined) return valuesOf(table, line.startsWith('kind'));
  if (!/^[ -]*\w*$/.test(line)) return [];
  const kind = /^kind: *(\w+)/m.exec(`${lines.join('\n')}\n${after.split(/^---$/m)[0]}`)?.[1] ?? '';
  const type = pathAt([...lines, line]).reduce((at, key) => (table.types[at]?.[key]?.[0] ?? '').replace('[]', ''), kind);
  const fields = table.types[type] ?? (pathAt([...lines, line]).length === 0 ? topFields : {});
  return Object.entries(fields)
    .filter(([name]) => name !== 'status' || type !== kind)
    .map(([name, [detail, summary]]) => ({ label: name, detail, summary }));
}

const topFields: FieldTable['types'][string] = {
  apiVersion: ['string', 'The version of the API, such as v1 or apps/v1.'],
  kind: ['string', 'The kind of the object, such as Pod.'],
  metadata: ['ObjectMeta', 'Name, namespace, labels and annotations.'],
  spec: ['', 'The desired state.'],
};

const documentBefore = (before: string) => before.split(/^---$/m).at(-1) ?? '';

function valuesOf({ kinds }: FieldTable, isKind: boolean): Suggestion[] {
  if (isKind) return Object.entries(kinds).map(([label, detail]) => ({ label, detail, summary: '' }));
  return [...new Set(Object.values(kinds))].map((label) => ({ label, detail: '', summary: '' }));
}

/** The keys above the last line, by indentation: `['spec', 'containers']`. */
export function pathAt(lines: readonly string[]): string[] {
  const path: string[] = [];
  let { indent, dash } = indentOf(lines.at(-1) ?? '');
  for (const line of lines.slice(0, -1).reverse()) {
    const [, key] = /^[ -]*"?([\w./-]+)"?:(?: |$)/.exec(line) ?? [];
    if (key === undefined) continue;
    const at = indentOf(line);
    const isParent = dash === undefined ? at.indent < indent : at.indent <= dash && at.dash === undefined;
    if (isParent || (dash !== undefined && at.indent < dash)) {
      path.unshift(key);
      [indent, dash] = [at.indent, at.dash];
    } else if (at.indent === indent && dash === undefined && at.dash !== undefined) dash = at.dash;
  }
  return path;
}

/** The column of a line's key, and of the dash before it. */
function indentOf(line: string): { indent: number; dash: number | undefined } {
  const [lead = ''] = /^[ -]*/.exec(line) ?? [];
  const dash = lead.lastIndexOf('-');
  return { indent: lead.length, dash: dash < 0 ? undefined : dash };
}
