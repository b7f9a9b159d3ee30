/** Splits an input at line feeds. From Node 24 on, readline also splits at U+2028 and U+2029. */
export async function* linesOf(input) {
  let rest = '';
  for await (const text of input.setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    yield* lines;
  }
  if (rest !== '') yield rest;
}
