/**
 * The members of a JSON object: each name and the text of its value. Unlike `JSON.parse` it keeps their order whatever their names are, large
 * numbers, and `__proto__`. The text must be a valid JSON object, which `JSON.parse` accepts.
 */
export function jsonMembers(text: string): [name: string, json: string][] {
  return partsOf(text, '{').map((member) => {
    const end = endOfValue(member, 0);
    const colon = member.indexOf(':', end);
    return [JSON.parse(member.slice(0, end)) as string, member.slice(colon + 1).trim()];
  });
}

/** The texts of the items of a JSON list, which must be valid. */
export const jsonItems = (text: string): string[] => partsOf(text, '[');

/** The text of a JSON object of these members. */
export const jsonObject = (members: Iterable<readonly [name: string, json: string]>): string =>
  `{${Array.from(members, ([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;

/** What the commas of the outermost object or list separate. */
function partsOf(text: string, opening: '{' | '['): string[] {
  const parts: string[] = [];
  let at = text.indexOf(opening) + 1;
  for (let start = at; at < text.length; ) {
    const character = text[at] ?? '';
    if (character === '"' || character === '{' || character === '[') {
      at = endOfValue(text, at);
      continue;
    }
    if (character === ',' || character === '}' || character === ']') {
      const part = text.slice(start, at).trim();
      if (part !== '') parts.push(part);
      if (character !== ',') break;
      start = at + 1;
    }
    at++;
  }
  return parts;
}

/** The index after the string, object or list that begins at `start`. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++;
    } else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
