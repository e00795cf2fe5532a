import { type Attacker, startAttacker } from './attacker.js';

/** Fills the folder, and exchanges it for a link to the target and back by two renames each, so that there is always something to open. */
const script = `
const [folder, target] = args;
const [aside, link] = [folder + '.aside', folder + '.link'];
function fill() {
  fs.mkdirSync(folder + '/inner', { recursive: true });
  for (let each = 0; each < 20; each++) fs.writeFileSync(folder + '/inner/file-' + each, '');
}
function repair() {
  for (const path of [folder, link]) try { fs.unlinkSync(path); } catch {}
  try { fs.rmSync(aside, { recursive: true, force: true }); } catch {}
  fs.symlinkSync(target, link);
  fill();
}
function round() {
  try {
    fs.renameSync(folder, aside);
    fs.renameSync(link, folder);
    fs.renameSync(folder, link);
    fs.renameSync(aside, folder);
    return true;
  } catch {
    try { repair(); } catch {}
    return false;
  }
}
repair();
`;

/** Starts a process that exchanges the folder for a link to the target again and again. */
export const startSwapper = (folder: string, target: string, goal?: number): Promise<Attacker> =>
  startAttacker(script, [folder, target], goal);
