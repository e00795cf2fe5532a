/** The value of `--name value` or `--name=value`. */
export function flag(argv: readonly string[], name: string, otherwise: string): string {
  const at = argv.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  if (at < 0) return otherwise;
  return argv[at]?.split('=', 2)[1] ?? argv[at + 1] ?? otherwise;
}
