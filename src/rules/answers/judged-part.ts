/** What is kept of a long close-day body: the members that a row speaks of, so that a run with many such answers has room for them. */
import { gateResultFields } from '../../../contracts/requirements/gate-result.ts';
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue, newJsonObject } from '../../protocol/json.ts';
import { ownText } from '../../record/own-text.ts';

/** Members by the name of the object that they are in; those of the outermost one have no name above them. */
const documented: ReadonlyMap<string, readonly string[]> = new Map([
  ['', ['response', 'theRequestSerialNumber']],
  ['response', ['status', 'gates', 'errorCode', 'errorMessage']],
  ['gates', Object.values(gateResultFields).map(({ member }): string => member)],
]);

/** Of other members only the names are given, and of those only the first. */
const mostOthers = 100;

/** More gates than any endpoint has: those behind them are not kept, since gates that differ take 200 bytes each, in every answer. */
export const mostGates = 2_000;

/** The same object without the values of members that the document does not name; nothing of it holds on to the text that it was read from. */
export function judgedPart(root: JsonObject): JsonObject {
  return copied(root, '') as JsonObject;
}

function copied(value: JsonValue, name: string): JsonValue {
  if (typeof value === 'string') return ownText(value);
  if (value instanceof JsonNumber) return new JsonNumber(ownText(value.text));
  if (Array.isArray(value)) {
    const part = name === 'gates' ? value.slice(0, mostGates) : value;
    return keptOnce(part.map((item) => copied(item, name)));
  }
  if (!isJsonObject(value)) return value;
  const named = documented.get(name);
  let others = 0;
  let said = '';
  const out = newJsonObject();
  for (const key in value) {
    const member = value[key]!;
    const known = named?.find((name) => name === key);
    if (named === undefined || known !== undefined) out[known ?? ownText(key)] = copied(member, key);
    else if (++others <= mostOthers) out[ownText(key)] = null;
    else continue;
    if (said.length <= longestKnown) said += `${JSON.stringify(key)}:${toldOf(out[key]!)},`;
  }
  return said.length > longestKnown || said.includes(nested) ? out : keptObject(said, out);
}

/** Equal objects are one, also in several answers: a hostile one has half a million of them. */
const objects = new Map<string, JsonObject>();

/** Characters of what an object says, and objects; few answers have more that differ. */
const [longestKnown, mostKnown] = [400, 4096] as const;

function keptObject(said: string, out: JsonObject): JsonObject {
  const known = objects.get(said);
  if (known !== undefined || objects.size >= mostKnown) return known ?? out;
  objects.set(said, out);
  return out;
}

/** No JSON text begins so. */
const nested = '\0';

function toldOf(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  return typeof value === 'object' && value !== null ? nested : JSON.stringify(value);
}

/** The list of the answer before, where that has the same members. */
function keptOnce(list: JsonValue[]): JsonValue[] {
  const isSame = last.length === list.length && last.every((item, at) => item === list[at]);
  if (!isSame) last = list;
  return last;
}

let last: JsonValue[] = [];
