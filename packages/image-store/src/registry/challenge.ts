/** A way to authenticate that a server offers: RFC 9110, section 11.6.1. */
export interface AuthChallenge {
  /** In lower case: `bearer`, `basic`. */
  scheme: string;
  /** Names in lower case: `realm`, `service`, `scope`, `error`. */
  parameters: Readonly<Record<string, string>>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameter = new RegExp(`^\\s*(${token})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))\\s*(?:,|$)`);
const schemeForm = new RegExp(`^[\\s,]*(${token})(?:\\s+|,|$)`);
const maxHeaderLength = 16_384;

/** The challenges of the header WWW-Authenticate, in its order. Ignores what it cannot parse. */
export function parseChallenges(header: string): AuthChallenge[] {
  const challenges: AuthChallenge[] = [];
  for (let rest = header.slice(0, maxHeaderLength); ; ) {
    const [head, scheme] = schemeForm.exec(rest) ?? [];
    if (head === undefined || scheme === undefined) return challenges;
    rest = rest.slice(head.length);
    const parameters: Record<string, string> = {};
    for (let match = parameter.exec(rest); match; match = parameter.exec(rest)) {
      const [whole, name = '', quoted, plain] = match;
      parameters[name.toLowerCase()] = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '';
      rest = rest.slice(whole.length);
    }
    challenges.push({ scheme: scheme.toLowerCase(), parameters });
  }
}
