/** Why a text cannot be sent as a bearer token, which is an HTTP header value; undefined if it can. Never contains the token. */
export function tokenProblem(token: string): string | undefined {
  if (/[\r\n]/.test(token)) return 'must not contain a line end';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a header must not contain
  return /[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/.test(token) ? 'must only contain characters of an HTTP header' : undefined;
}
