/** A family of distributions with the same package manager and names of packages. */
export type Distribution = 'debian' | 'alpine' | 'fedora';

/** What containers need of the machine beside the kernel. */
export type Need = keyof typeof packages;

const installers: Record<Distribution, string> = { debian: 'apt install', alpine: 'apk add', fedora: 'dnf install' };

const everywhere = (name: string) => ({ debian: name, alpine: name, fedora: name });

/** The package of each need. */
const packages = {
  crun: everywhere('crun'),
  runc: everywhere('runc'),
  conmon: everywhere('conmon'),
  catatonit: everywhere('catatonit'),
  socat: everywhere('socat'),
  'util-linux': everywhere('util-linux'),
  iproute2: { ...everywhere('iproute2'), fedora: 'iproute' },
  iptables: { ...everywhere('iptables'), fedora: 'iptables-nft' },
  'CNI plugins': { ...everywhere('containernetworking-plugins'), alpine: 'cni-plugins' },
} satisfies Record<string, Record<Distribution, string>>;

/** The family of the distribution, by the text of os-release(5); undefined for others. */
export function distributionOf(osRelease: string): Distribution | undefined {
  const words = ['ID', 'ID_LIKE'].flatMap((name) => {
    const [, value = ''] = new RegExp(`^${name}=["']?([^"'\n]*)`, 'm').exec(osRelease) ?? [];
    return value.split(' ');
  });
  const names: Record<string, Distribution> = { debian: 'debian', ubuntu: 'debian', alpine: 'alpine', fedora: 'fedora', rhel: 'fedora' };
  return words.map((word) => names[word]).find((found) => found !== undefined);
}

/** `apt install crun conmon`; for an unknown distribution the names of what to install. */
export function installCommand(distribution: Distribution | undefined, needs: readonly Need[]): string {
  if (distribution === undefined) return `install ${needs.join(', ')}`;
  return [installers[distribution], ...needs.map((need) => packages[need][distribution])].join(' ');
}
