/** Reads a JSON body for the schemas, by the engine's own reader: another reading than that of the protocol layer. */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The value of a body, with 0.5 for each number that has a fraction or an exponent, and 1 for each whole one that is too
 * long for a number of the engine: a schema asks only whether a number is whole as it is written.
 *
 * @throws where the body is not JSON in UTF-8, or has an object with a name twice.
 */
export function readJsonBody(body: Uint8Array): unknown {
  const text = strict.decode(body);
  const value: unknown = JSON.parse(text);
  refuseRepeatedNames(text);
  const written = text.replace(tokens, (token) => {
    if (/^-?\d.*[.eE]/s.test(token)) return '0.5';
    return /^-?\d{300}/.test(token) ? '1' : token;
  });
  return written === text ? value : JSON.parse(written);
}

/** Strings, whole or broken numbers, and the characters that a value is built of. */
const tokens = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\]:,]/g;

/** The text is known to be JSON: a string before a colon is a name. */
function refuseRepeatedNames(text: string): void {
  const open: Set<string>[] = [];
  let last = '';
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name = JSON.parse(last) as string;
      if (open.at(-1)!.has(name)) throw new SyntaxError(`the name ${last} occurs twice`);
      open.at(-1)!.add(name);
    }
    last = token;
  }
}
