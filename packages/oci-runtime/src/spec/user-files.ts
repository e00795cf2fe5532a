/** A line of /etc/passwd: passwd(5). */
export interface PasswdEntry {
  name: string;
  uid: number;
  gid: number;
}

/** A line of /etc/group: group(5). */
export interface GroupEntry {
  name: string;
  gid: number;
  members: readonly string[];
}

/** The texts of an image's /etc/passwd and /etc/group; empty for a missing file. */
export interface UserFiles {
  passwd: string;
  group: string;
}

/** The largest user or group id that a process can have: 4294967295 means "unchanged" to the kernel. */
export const maxId = 4_294_967_294;

/** The entries of /etc/passwd in their order. Lines that are no entries are left out: an image may have other text there. */
export function parsePasswd(text: string): PasswdEntry[] {
  return records(text).flatMap(([name = '', , uid = '', gid = '']) => {
    if (!isId(uid) || !isId(gid)) return [];
    return [{ name, uid: Number(uid), gid: Number(gid) }];
  });
}

/** The entries of /etc/group in their order. Lines that are no entries are left out. */
export function parseGroup(text: string): GroupEntry[] {
  return records(text).flatMap(([name = '', , gid = '', members = '']) => {
    if (!isId(gid)) return [];
    return [{ name, gid: Number(gid), members: members.split(',').filter((member) => member !== '') }];
  });
}

/** Whether a text is a number that a user or a group can have. */
export const isId = (text: string) => /^\d{1,10}$/.test(text) && Number(text) <= maxId;

function records(text: string): string[][] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(':'));
}
