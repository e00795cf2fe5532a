import { NodeAgentError } from '../contracts/errors.js';
import { apiErrorCodes } from '../errors.js';

function invalid(line: number, rule: string, where: 'at' | 'starting at' = 'at'): NodeAgentError {
  return new NodeAgentError(apiErrorCodes.invalidEnvFile, `invalid environment variable format ${where} line ${line}: ${rule}`, {
    details: { line },
    hint: "write each variable as NAME='value'",
  });
}

/**
 * The value of a key in an env file (`fileKeyRef`, KEP-3721), or '' if the file does not set it. Lines have the form `KEY='value'`; a value
 * may span lines, and a blank after `=` makes it empty. Reading stops at the first match, so what comes after it is not checked. Throws `InvalidEnvFile` naming the line.
 */
export function parseEnvFile(content: string, key: string): string {
  const lines = content.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  for (let index = 0; index < lines.length; index++) {
    const line = (lines[index] ?? '').trimStart();
    if (line === '' || line.startsWith('#')) continue;
    const number = index + 1;
    const equals = line.indexOf('=');
    if (equals < 0) throw invalid(number, "missing '='");
    const name = line.slice(0, equals);
    if (name === '') throw invalid(number, 'empty variable name');
    if (name !== name.trimEnd()) throw invalid(number, "whitespace before '=' is not allowed");
    let rest = line.slice(equals + 1);
    if (/^\s/.test(rest)) {
      if (name === key) return '';
      continue;
    }
    if (!rest.startsWith("'")) throw invalid(number, 'value must be enclosed in single quotes');
    rest = rest.slice(1);

    const value: string[] = [];
    let close = rest.indexOf("'");
    while (close < 0) {
      value.push(rest);
      index++;
      const next = lines[index];
      if (next === undefined) throw invalid(number, 'unclosed single quote', 'starting at');
      rest = next;
      close = rest.indexOf("'");
    }
    value.push(rest.slice(0, close));
    const after = rest.slice(close + 1).trim();
    if (after !== '' && !after.startsWith('#')) throw invalid(index + 1, 'unexpected content after closing quote');
    if (name === key) return value.join('\n');
  }
  return '';
}
