/** The anchor that GitHub gives a heading, so that a link with a fragment is valid on the site and on GitHub. */
export const githubSlug = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
