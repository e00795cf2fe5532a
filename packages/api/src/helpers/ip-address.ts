/** The version of the IP address that the text is, 4 or 6; 0 for other texts. */
export function isIP(text: string): 0 | 4 | 6 {
  if (isIPv4(text)) return 4;
  return isIPv6(text) ? 6 : 0;
}

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

/** An IP address in canonical notation (RFC 5952), without a zone. IPv4 addresses within IPv6 keep their four numbers: `::ffff:10.0.0.1`. */
export function canonicalIP(address: string): string {
  if (isIPv4(address)) return address;
  const groups = groupsOf(address);
  const [start, length] = longestZeros(groups);
  const isIPv4Inside = start === 0 && (length === 6 || (length === 5 && groups[5] === 0xffff));
  const texts = groups.map((group) => group.toString(16));
  if (isIPv4Inside) texts.splice(6, 2, groups.slice(6).flatMap(bytesOf).join('.'));
  if (length < 2) return texts.join(':');
  return `${texts.slice(0, start).join(':')}::${texts.slice(start + length).join(':')}`;
}

/** Whether the IP address is in the subnet, `network/bits`. An IPv4 address equals its IPv4-mapped IPv6 address, `::ffff:10.0.0.1`. */
export function isInSubnet(address: string, network: string, bits: number): boolean {
  const subnet = groupsOf(network);
  const length = isIPv4(network) ? 96 + bits : bits;
  return groupsOf(address).every((group, index) => {
    const ignored = Math.min(16, Math.max(0, 16 * (index + 1) - length));
    return group >> ignored === (subnet[index] ?? 0) >> ignored;
  });
}

/** The eight groups of an IPv6 address, or of the IPv4-mapped address. */
function groupsOf(address: string): number[] {
  if (isIPv4(address)) return groupsOf(`::ffff:${address}`);
  const withoutZone = address.replace(/%.*/, '');
  const inHex = withoutZone.replace(/[\d.]+\.\d+$/, (v4) => {
    const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [left = [], right = []] = inHex.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

/** The first of the longest runs of zeros: its index and length. */
function longestZeros(groups: readonly number[]): [start: number, length: number] {
  let longest: [number, number] = [-1, 0];
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > longest[1]) longest = [start, index + 1 - start];
  }
  return longest;
}

const bytesOf = (group: number) => [group >> 8, group & 0xff];
