/** What the viewer may do beside reading the page; nothing until the agent has answered. */
export const access = { logs: false, exec: false };

export async function readAccess() {
  const answer = await fetch('access', { cache: 'no-store' });
  if (answer.ok) Object.assign(access, await answer.json());
}
