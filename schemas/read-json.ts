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
  if (!isRewritten(text)) return value;
  return JSON.parse(text.replace(tokens, (token) => standInFor(token) ?? token));
}

/** Strings, whole or broken numbers, and the characters that a value is built of. */
const tokens = /"[\s\S]*?"(?<=(?<!\\)(?:\\\\)*")|-?\d[\d.eE+-]*|[{}[\]:,]/g;

function standInFor(token: string): string | undefined {
  if (/^-?\d.*[.eE]/s.test(token)) return '0.5';
  return /^-?\d{300}/.test(token) ? '1' : undefined;
}

/** Whether a number has another in its place. The text is known to be JSON: a string before a colon is a name, and none may occur twice. */
function isRewritten(text: string): boolean {
  const open: Set<string>[] = [];
  let last = '';
  let found = false;
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name = last.includes('\\') ? (JSON.parse(last) as string) : last.slice(1, -1);
      if (open.at(-1)!.has(name)) throw new SyntaxError(`the name ${last} occurs twice`);
      open.at(-1)!.add(name);
    } else if (token !== ',' && token[0] !== '"') found ||= standInFor(token) !== undefined;
    last = token;
  }
  return found;
}
