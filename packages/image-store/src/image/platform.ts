/** What an image runs on, in the words of Go: `linux`, `arm`, `v7`. */
export interface ImagePlatform {
  os: string;
  architecture: string;
  variant?: string;
}

const aliases: Readonly<Record<string, readonly [architecture: string, variant?: string]>> = {
  i386: ['386'],
  x86_64: ['amd64'],
  'x86-64': ['amd64'],
  aarch64: ['arm64'],
  armhf: ['arm', 'v7'],
  armel: ['arm', 'v6'],
};

/** The variant that an image means which names none, and which is not written. */
const impliedVariants: Readonly<Record<string, string>> = { amd64: 'v1', arm64: 'v8', arm: 'v7' };

/** One spelling for each platform, as containerd compares them: `x86_64` is `amd64`, `arm64/v8` is `arm64`, `arm` is `arm/v7`. */
export function normalizePlatform(platform: ImagePlatform): ImagePlatform {
  const os = platform.os.toLowerCase() === 'macos' ? 'darwin' : platform.os.toLowerCase();
  const given = platform.architecture.toLowerCase();
  const [architecture, aliased] = aliases[given] ?? [given];
  const variant = normalizeVariant(architecture, aliased ?? platform.variant?.toLowerCase());
  return { os, architecture, ...(variant !== undefined && { variant }) };
}

function normalizeVariant(architecture: string, given: string | undefined): string | undefined {
  const numbered = given !== undefined && /^\d+$/.test(given) ? `v${given}` : given;
  if (architecture === 'arm') return numbered || impliedVariants.arm;
  return numbered === impliedVariants[architecture] || numbered === '' ? undefined : numbered;
}

/**
 * The platforms whose images a machine runs, the best first, as containerd orders them: an `arm64` machine runs `arm` images of v8 to v5, an
 * `amd64` machine also those of `386` and of smaller variants.
 */
export function runnablePlatforms(machine: ImagePlatform): ImagePlatform[] {
  const own = normalizePlatform(machine);
  const { os, architecture, variant } = own;
  const level = Number(variant?.slice(1) ?? 0);
  const arm = (from: number) => range(from, 5).map((version) => ({ os, architecture: 'arm', variant: `v${version}` }));
  if (architecture === 'arm') return [own, ...arm(level - 1)];
  if (architecture === 'arm64')
    return [
      own,
      ...range(level - 1, 9).map((v) => ({ os, architecture, variant: `v${v}` })),
      ...(level > 8 ? [{ os, architecture }] : []),
      ...arm(8),
    ];
  if (architecture === 'amd64') {
    const smaller = range(level - 1, 2).map((version) => ({ os, architecture, variant: `v${version}` }));
    return [own, ...smaller, ...(level > 1 ? [{ os, architecture }] : []), { os, architecture: '386' }];
  }
  return [own];
}

/** From the first number down to the last one. */
const range = (from: number, to: number) => Array.from({ length: Math.max(0, from - to + 1) }, (_, index) => from - index);

/** `linux/arm/v7`. */
export const platformText = ({ os, architecture, variant }: ImagePlatform) =>
  [os, architecture, ...(variant === undefined ? [] : [variant])].join('/');

/** The platform of `linux/arm64` or `linux/arm/v7`, in one spelling; undefined for another text. */
export function parsePlatform(text: string): ImagePlatform | undefined {
  const [, os, architecture, variant] = /^(\w+)\/([\w-]+)(?:\/(\w+))?$/.exec(text) ?? [];
  if (os === undefined || architecture === undefined) return undefined;
  return normalizePlatform({ os, architecture, ...(variant !== undefined && { variant }) });
}

/** The place of a platform among those that a machine runs; -1 if it does not run it. */
export function platformRank(platform: ImagePlatform, runnable: readonly ImagePlatform[]): number {
  const text = platformText(normalizePlatform(platform));
  return runnable.findIndex((candidate) => platformText(candidate) === text);
}

const goArchitectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', mipsel: 'mipsle' };

/**
 * The platform of a machine from Node's names.
 * @param armVersion - `process.config.variables.arm_version`, of machines with 32-bit ARM
 */
export function platformOfMachine(os: string, architecture: string, armVersion?: string): ImagePlatform {
  const platform = { os: os === 'win32' ? 'windows' : os, architecture: goArchitectures[architecture] ?? architecture };
  return normalizePlatform(architecture === 'arm' && armVersion ? { ...platform, variant: `v${armVersion}` } : platform);
}
