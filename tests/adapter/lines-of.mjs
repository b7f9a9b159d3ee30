/** Lines of an input, ended by a line feed alone: from Node 24 on readline ends them at U+2028 and U+2029 too. */
export async function* linesOf(input) {
  let rest = '';
  for await (const text of input.setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    yield* lines;
  }
  if (rest !== '') yield rest;
}
