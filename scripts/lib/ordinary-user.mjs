import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './pnpm.mjs';

/** Not copied: what a step that runs meanwhile replaces, and what that user does not use. */
const notCopied = [
  './.cache/test-results',
  './.cache/*.unfinished-*',
  './docs/.vitepress/cache',
  './docs/.vitepress/dist',
  './docs/reference/api',
];

/**
 * Runs a script of this repository as a user of this machine who is not root, in a copy of the checkout that belongs to that user, and returns
 * its exit code. Only root can call it.
 */
export function runAsOrdinaryUser(script, args) {
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-user-'));
  const id = unusedId();
  const user = { uid: id, gid: id };
  const [home, checkout] = ['home', 'nodeagent'].map((name) => join(folder, name));
  try {
    for (const dir of [home, checkout]) {
      mkdirSync(dir);
      chownSync(dir, id, id);
    }
    chmodSync(folder, 0o755);
    copyCheckout(checkout, id);
    const { status } = spawnSync(process.execPath, [join(checkout, script), ...args], {
      ...user,
      cwd: checkout,
      env: { ...environmentWithoutNpm(), HOME: home },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The user's may be the only readable copy: the checkout can be below /root. */
function copyCheckout(folder, id) {
  const excludes = notCopied.map((path) => `--exclude=${path}`);
  const copy = 'tar -C "$0" "$@" -cf - . | tar -C "$TARGET" --no-same-owner -xf - && chown -R "$OWNER" "$TARGET"';
  const env = { ...process.env, TARGET: folder, OWNER: `${id}:${id}` };
  const { status } = spawnSync('sh', ['-c', copy, root, ...excludes], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`cannot copy ${root} to ${folder}`);
}

/** A user id that no user of this machine has. */
function unusedId() {
  const taken = new Set(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => Number(line.split(':')[2])),
  );
  let id = 61_000;
  while (taken.has(id)) id++;
  return id;
}

/** npm gives its scripts the folders of its caller, which another user cannot use. */
function environmentWithoutNpm() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|XDG_|HOME$|INIT_CWD$)/.test(name)));
}
