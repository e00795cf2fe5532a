/** Longer lines are dropped; the kernel writes none. */
const maxLineLength = 64 * 1024;

/** Splits the chunks into lines; drops an incomplete last line. */
export async function* linesOf(chunks: AsyncIterable<Buffer | string>): AsyncIterable<string> {
  let rest = '';
  let isDropping = false;
  for await (const chunk of chunks) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!isDropping) yield line;
      isDropping = false;
    }
    if (rest.length > maxLineLength) {
      rest = '';
      isDropping = true;
    }
  }
}
