/** What is kept of a long close-day body: the members that a row speaks of, so that a run with many such answers has room for them. */
import { gateResultFields } from '../../contracts/requirements/gate-result.ts';
import { ownText } from '../exchange/own-text.ts';
import { isJsonObject, JsonNumber, type JsonObject, type JsonValue } from '../protocol/json.ts';

/** Members by the name of the object that they are in; those of the outermost one have no name above them. */
const documented: Readonly<Record<string, readonly string[]>> = {
  '': ['response', 'theRequestSerialNumber'],
  response: ['status', 'gates', 'errorCode', 'errorMessage'],
  gates: Object.values(gateResultFields).map(({ member }) => member),
};

/** Of other members only the names are given, and of those only the first. */
const mostOthers = 100;

/** The same object without the values of members that the document does not name; nothing of it holds on to the text that it was read from. */
export function judgedPart(root: JsonObject): JsonObject {
  return copied(root, '') as JsonObject;
}

function copied(value: JsonValue, name: string): JsonValue {
  if (typeof value === 'string') return ownText(value);
  if (value instanceof JsonNumber) return new JsonNumber(ownText(value.text));
  if (Array.isArray(value)) return value.map((item) => copied(item, name));
  if (!isJsonObject(value)) return value;
  const named = documented[name];
  let others = 0;
  const out: JsonObject = Object.create(null);
  for (const [key, member] of Object.entries(value)) {
    if (named === undefined || named.includes(key)) out[ownText(key)] = copied(member, key);
    else if (++others <= mostOthers) out[ownText(key)] = null;
  }
  return out;
}
