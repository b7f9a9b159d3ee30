/** What changed in the form of answers that mean the same: names that came or went, their order, their types. */
import type { ComparedAnswer } from './compared-answer.ts';
import type { Change, ChangeName } from './difference.ts';
import type { Features, Form } from './message-features.ts';

/** Most values of a header that has a choice among few; one with more of them is drawn. */
const fewValues = 4;

/** All answers are to one operation and mean the same. Each list has at least one. */
export function classChanges(old: readonly ComparedAnswer[], fresh: readonly ComparedAnswer[]): Change[] {
  const [before, now] = [summaryOf(old), summaryOf(fresh)];
  return [
    ...[...now.groups].flatMap(([id, group]) => {
      const then = before.groups.get(id);
      if (then === undefined) return [];
      const names = withRenames(nameChanges(then, group), [then, before.forms], [group, now.forms]);
      return [...names, ...orderChanges(then, group)];
    }),
    ...[...now.forms.values()].flatMap((form) => {
      const then = before.forms.get(idOf(form));
      return then === undefined ? [] : formChange(then, form);
    }),
  ].map((change) => ({ ...change, operation: fresh[0]!.operation }));
}

type Found = Omit<Change, 'operation'>;

/** All objects of one place, or all messages: how often each name is there, and what stands before what. */
interface Group {
  readonly group: 'header' | 'member';
  readonly path: string;
  total: number;
  readonly present: Map<string, { times: number; readonly exchanges: Numbers }>;
  readonly exchanges: Numbers;
  /** Each pair of names where one stands before the other, with an order that has it. */
  readonly pairs: Map<string, { readonly order: readonly string[]; readonly exchanges: Numbers }>;
}

/** Of exchanges, a list for all whose messages are alike: a run has tens of thousands, of few forms. */
type Numbers = (readonly number[])[];

/** Names whose order is compared; a message without end is compared in its beginning. */
const mostOrdered = 40;

interface FormValues extends Omit<Form, 'value'> {
  readonly values: Map<string, Numbers>;
  times: number;
}

interface Summary {
  readonly groups: Map<string, Group>;
  readonly forms: Map<string, FormValues>;
}

function summaryOf(answers: readonly ComparedAnswer[]): Summary {
  const groups = new Map<string, Group>();
  const forms = new Map<string, FormValues>();
  for (const [features, numbers] of alikeAmong(answers)) {
    for (const { group, path, names } of features.names) {
      const id = `${group} ${path}`;
      const found = groups.get(id) ?? {
        group,
        path,
        total: 0,
        present: new Map(),
        exchanges: [],
        pairs: new Map(),
      };
      groups.set(id, found);
      found.total += numbers.length;
      noted(found.exchanges, numbers);
      // A name that is repeated stands where it stood first.
      const order = [...new Set(names)];
      for (const name of order) {
        const one = found.present.get(name) ?? { times: 0, exchanges: [] };
        one.times += numbers.length;
        noted(one.exchanges, numbers);
        found.present.set(name, one);
      }
      for (const pair of pairsOf(order.slice(0, mostOrdered))) {
        const one = found.pairs.get(pair) ?? { order, exchanges: [] };
        noted(one.exchanges, numbers);
        found.pairs.set(pair, one);
      }
    }
    for (const form of features.forms) {
      const found = forms.get(idOf(form)) ?? { ...form, values: new Map(), times: 0 };
      forms.set(idOf(form), found);
      found.times += numbers.length;
      const exchanges = found.values.get(form.value) ?? [];
      found.values.set(form.value, exchanges);
      noted(exchanges, numbers);
    }
  }
  return { groups, forms };
}

function idOf({ change, name }: Pick<Form, 'change' | 'name'>): string {
  return `${change} ${name}`;
}

function alikeAmong(answers: readonly ComparedAnswer[]): Map<Features, number[]> {
  const alike = new Map<Features, number[]>();
  for (const { features, exchange } of answers) {
    const numbers = alike.get(features);
    if (numbers === undefined) alike.set(features, [exchange]);
    else numbers.push(exchange);
  }
  return alike;
}

/** A message may show the same several times. */
function noted(exchanges: Numbers, numbers: readonly number[]): void {
  if (exchanges.at(-1) !== numbers) exchanges.push(numbers);
}

function nameChanges(then: Group, now: Group): Found[] {
  const names = new Set([...then.present.keys(), ...now.present.keys()]);
  return [...names].flatMap((name): Found[] => {
    const [before, after] = [shareOf(then, name), shareOf(now, name)];
    const came = before === 'never' && after !== 'never';
    const went = after !== 'always' && (before === 'always' || (before === 'sometimes' && after === 'never'));
    if (!came && !went) return [];
    const with_ = new Set(now.present.get(name)?.exchanges);
    const exchanges = (came ? [...with_] : now.exchanges.filter((numbers) => !with_.has(numbers))).flat();
    const change: ChangeName = `${then.group}-${came ? 'came' : 'went'}`;
    return [{ change, name: placeOf(then, name), old: [before], new: [after], exchanges }];
  });
}

/** The header that stands in for another one, and the other way about. */
const standsFor: Readonly<Record<string, string>> = {
  'content-length': 'transfer-encoding',
  'transfer-encoding': 'content-length',
};

type Side = readonly [group: Group, forms: Summary['forms']];

/** A name that came in the very messages that one of the same kind went from is one change: the name is another one. */
function withRenames(found: readonly Found[], [then, formsThen]: Side, [now, formsNow]: Side): Found[] {
  const [went, came] = ['went', 'came'].map((end) => found.filter(({ change }) => change.endsWith(end))) as [
    Found[],
    Found[],
  ];
  const kind = (forms: Summary['forms'], name = '') =>
    ['member-type', 'value-form'].map((of) => [...(forms.get(`${of} ${name}`)?.values.keys() ?? [])].sort()).join('; ');
  const place = (group: Group, name = '') => [...group.present.keys()].findIndex((one) => placeOf(group, one) === name);
  const isLike = (gone: Found, other: Found) => {
    const exchanges = new Set(gone.exchanges);
    if (!other.exchanges.every((number) => exchanges.has(number))) return false;
    if (then.group === 'header') return standsFor[gone.name ?? ''] === other.name;
    const isSame = kind(formsThen, gone.name) === kind(formsNow, other.name);
    return isSame && exchanges.size === new Set(other.exchanges).size;
  };
  const pairs = went.flatMap((gone): [Found, Found][] => {
    const candidates = came.filter((other) => isLike(gone, other));
    const [first] = candidates;
    const isOnly = candidates.length === 1 && went.filter((other) => isLike(other, first!)).length === 1;
    const other = isOnly ? first : candidates.find(({ name }) => place(now, name) === place(then, gone.name));
    return other === undefined ? [] : [[gone, other]];
  });
  return found.flatMap((one) => {
    const pair = pairs.find((both) => both.includes(one));
    if (pair === undefined) return [one];
    return pair[0] === one ? [{ ...one, renamedTo: pair[1].name }] : [];
  });
}

type Share = 'never' | 'sometimes' | 'always';

function shareOf({ present, total }: Group, name: string): Share {
  const times = present.get(name)?.times ?? 0;
  return times === 0 ? 'never' : times === total ? 'always' : 'sometimes';
}

function placeOf({ group, path }: Group, name: string): string {
  return group === 'header' || path === 'parameters' ? name : `${path}.${name}`;
}

/** Two names that stand the other way about than they ever did. Names that came or went change no order. */
function orderChanges(then: Group, now: Group): Found[] {
  const turned = [...now.pairs].filter(([pair]) => !then.pairs.has(pair) && then.pairs.has(swapped(pair)));
  const [first] = turned;
  if (first === undefined) return [];
  const [earlier, later] = [then.pairs.get(swapped(first[0]))!.order, first[1].order];
  const both = (order: readonly string[], other: readonly string[]) =>
    order.filter((name) => other.includes(name)).join(', ');
  return [
    {
      change: `${then.group}-order`,
      ...(then.group === 'header' || then.path === 'parameters' ? {} : { name: then.path }),
      old: [both(earlier, later)],
      new: [both(later, earlier)],
      exchanges: [...new Set(turned.flatMap(([, { exchanges }]) => exchanges.flat()))],
    },
  ];
}

function pairsOf(order: readonly string[]): string[] {
  return order.flatMap((name, at) => order.slice(at + 1).map((behind) => `${name}\n${behind}`));
}

function swapped(pair: string): string {
  return pair.split('\n').reverse().join('\n');
}

function formChange(then: FormValues, now: FormValues): Found[] {
  const news = [...now.values].filter(([value]) => !then.values.has(value));
  if (news.length === 0 || (then.change === 'header-value' && isDrawn(then, now))) return [];
  return [
    {
      change: then.change,
      ...(then.name === '' ? {} : { name: then.name }),
      old: [...then.values.keys()].sort(),
      new: news.map(([value]) => value).sort(),
      exchanges: [...new Set(news.flatMap(([, exchanges]) => exchanges.flat()))],
    },
  ];
}

/** Whether the value is chosen anew for each message: then another one means nothing. */
function isDrawn(...sides: readonly FormValues[]): boolean {
  const [{ name }] = sides as [FormValues];
  const stated = ['content-type', 'connection', 'keep-alive', 'transfer-encoding'].includes(name);
  return sides.some(({ values, times }) => values.size > fewValues || (!stated && times < 3 * values.size));
}
