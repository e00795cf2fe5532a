/** Whether the text is an IPv4 address of four decimal numbers without leading zeros. */
export function isIPv4(text: string): boolean {
  const numbers = text.split('.');
  return numbers.length === 4 && numbers.every((number) => /^(0|[1-9]\d{0,2})$/.test(number) && Number(number) <= 255);
}

/** Whether the text is an IPv6 address (RFC 4291, section 2.2), with or without a zone. */
export function isIPv6(text: string): boolean {
  const [, address = ''] = /^([^%]*)(%[0-9A-Za-z.:-]+)?$/.exec(text) ?? [];
  const halves = address.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const groups = halves.flat();
  const last = groups.at(-1) ?? '';
  const endsInIPv4 = address.endsWith(last) && isIPv4(last);
  const hex = endsInIPv4 ? groups.slice(0, -1) : groups;
  if (!hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  const count = hex.length + (endsInIPv4 ? 2 : 0);
  return halves.length === 1 ? count === 8 : halves.length === 2 && count < 8;
}
